"""The reader without a model: question forms, typed values, relation cues."""

from __future__ import annotations

import pytest

from certify_core.model import Requirement, Unit
from certify_core.pattern_reader import PatternReader
from certify_core.pattern_reader.lead import life
from certify_core.pattern_reader.questions import chain_of
from certify_core.pattern_reader.relations import RELATIONS, Relation
from certify_core.pattern_reader.values import value_at
from certify_core.protocols import Reading

READER = PatternReader()


def steps(question: str) -> list[str]:
    graph = READER.decompose(question)
    assert graph is not None
    return [r.template if r.kind == "lookup" else f"{r.op} {r.args}" for r in graph.requirements]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "When did Lothair Ii's mother die?",
            ["Who is the mother of Lothair Ii?", "When did #1 die?"],
        ),
        (
            "What is the place of birth of the performer of song Changed It?",
            ["Who is the performer of the song Changed It?", "Where was #1 born?"],
        ),
        (
            "Where was the place of death of Maurice, Prince Of Orange's father?",
            ["Who is the father of Maurice, Prince Of Orange?", "Where did #1 die?"],
        ),
        (
            "Who is the paternal grandfather of Taj Al-Dawla?",
            ["Who is the father of Taj Al-Dawla?", "Who is the father of #1?"],
        ),
        (
            "Which country the director of film Daadagiri is from?",
            ["Who is the director of the film Daadagiri?", "Which country is #1 from?"],
        ),
        (
            "When was the company that published American Scientist founded?",
            ["Who is the publisher of American Scientist?", "When was #1 founded?"],
        ),
        (
            "Which film was released first, Aas Ka Panchhi or Phoolwari?",
            [
                "When was the film Aas Ka Panchhi released?",
                "When was the film Phoolwari released?",
                "select-earlier ('Aas Ka Panchhi', '#1', 'Phoolwari', '#2')",
            ],
        ),
        (
            "Which film has the director who is older, El Tonto or The Heart Of Doreon?",
            [
                "Who is the director of the film El Tonto?",
                "When was #1 born?",
                "Who is the director of the film The Heart Of Doreon?",
                "When was #3 born?",
                "select-earlier ('El Tonto', '#2', 'The Heart Of Doreon', '#4')",
            ],
        ),
        (
            "Was Angus Wagner or Juan Carlos Falcón born first?",
            [
                "When was Angus Wagner born?",
                "When was Juan Carlos Falcón born?",
                "select-earlier ('Angus Wagner', '#1', 'Juan Carlos Falcón', '#2')",
            ],
        ),
        (
            "Who is younger, Ann Lee or Bo Aske?",
            [
                "When was Ann Lee born?",
                "When was Bo Aske born?",
                "select-later ('Ann Lee', '#1', 'Bo Aske', '#2')",
            ],
        ),
        (
            "Who lived longer, Ann Lee or Bo Aske?",
            [
                "When was Ann Lee born?",
                "When did Ann Lee die?",
                "difference ('#1', '#2')",
                "When was Bo Aske born?",
                "When did Bo Aske die?",
                "difference ('#4', '#5')",
                "select-greater ('Ann Lee', '#3', 'Bo Aske', '#6')",
            ],
        ),
        (
            "Do both films, Dial M For Murder and Marius (1931 Film), have the directors who are"
            " from the same country?",
            [
                "Who is the director of the film Dial M For Murder?",
                "Which country is #1 from?",
                "Who is the director of the film Marius (1931 Film)?",
                "Which country is #3 from?",
                "same ('#2', '#4')",
            ],
        ),
        (
            "Were both Pietro Salini and Domenico Ravenna, born in the same place?",
            [
                "Where was Pietro Salini born?",
                "Where was Domenico Ravenna born?",
                "same ('#1', '#2')",
            ],
        ),
        (
            "Which film, El Tonto or Red Kiln, was released first?",
            [
                "When was the film El Tonto released?",
                "When was the film Red Kiln released?",
                "select-earlier ('El Tonto', '#1', 'Red Kiln', '#2')",
            ],
        ),
        (
            "Are Reno Airport and Kiln Airport both airports in the same state?",
            [
                "Which state is Reno Airport in?",
                "Which state is Kiln Airport in?",
                "same ('#1', '#2')",
            ],
        ),
        (
            "Who is the mother of the director of film Father Of The Bride?",
            [
                "Who is the director of the film Father Of The Bride?",
                "Who is the mother of #1?",
            ],
        ),
    ],
)
def test_decompose_names_every_fact_a_question_needs(question: str, expected: list[str]) -> None:
    """Protects the plan: a missed hop or a turned comparison gives a wrong certificate."""
    assert steps(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Who is the uncle of Catherine Allégret?",
        "Who is Godomar Ii's stepmother?",
        "Which film has more directors, A Night Of Horror or The Whispering Shadow?",
        "What science fantasy young adult series, told in first person, has companion books?",
        "Who was born first, A or B or C?",
        "Tell me about Ann Lee.",
        "",
    ],
)
def test_decompose_leaves_other_forms_alone(question: str) -> None:
    """Protects against guessing: a form with several readings or none has no plan."""
    assert READER.decompose(question) is None


def test_decompose_asks_what_link_understands() -> None:
    """Protects the agreement of both halves: every lookup it writes can be read back."""
    for question in (
        "Who is the paternal grandmother of A B?",
        "Why did A B's wife die?",
        "Where was the place of burial of A B's father?",
        "What is the award that the performer of song C D won?",
        "Where does the director of film C D work at?",
        "Which museum was established first, A B or C D?",
    ):
        graph = READER.decompose(question)
        assert graph is not None
        for requirement in graph.requirements:
            if requirement.kind == "lookup":
                text = requirement.filled({1: "E F", 3: "G H"})
                again = READER.decompose(text)
                assert again is not None
                assert [r.template for r in again.requirements] == [text]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.key)
def test_every_relation_can_be_read_back_from_its_own_question(relation: Relation) -> None:
    """Protects hops: a lookup that is written and not understood would stay open for ever."""
    found = chain_of(relation.question.format("Ann Lee"))
    assert found is not None
    assert (found.name, found.relations) == ("Ann Lee", (relation.key,))


@pytest.mark.parametrize(
    ("line", "name", "relation"),
    [
        ("What state is KAGH-FM located?", "KAGH-FM", "state"),
        ("In which county is Reno?", "Reno", "administrative location"),
        ("What company is Kiln Air part of?", "Kiln Air", "part of"),
        ("What river does the Tam River turn into?", "Tam River", "mouth"),
        ("The Tam River was named for whom?", "Tam River", "named after"),
        ("The main director of Big Kiln was who?", "Big Kiln", "director"),
        ("what year did Kiln Air dissolve", "Kiln Air", "end"),
        ("Which label released Red Kiln?", "Red Kiln", "record label"),
        ("What is the name of the mother of Ann Lee?", "Ann Lee", "mother"),
        ("leader of Kiln Town", "Kiln Town", "head"),
        ("Kiln Town >> capital of", "Kiln Town", "capital of"),
    ],
)
def test_chain_of_reads_other_wordings(line: str, name: str, relation: str) -> None:
    """Protects sub-questions as people and knowledge bases write them."""
    found = chain_of(line)
    assert found is not None
    assert (found.name, found.relations) == (name, (relation,))


@pytest.mark.parametrize(
    "line",
    [
        "Where is Tom Lee from in the terminal?",
        "What sport does Ann Lee's rival play?",
        "Who is the son of John Lee under contract who drives?",
        "Where was the pilot of Red Kiln voted best born?",
        "Red Kiln >> colour",
    ],
)
def test_chain_of_takes_no_clause_for_a_name(line: str) -> None:
    """Protects against answering a simpler question than the one asked."""
    assert chain_of(line) is None


def lived(opening: str, title: str) -> list[str | None]:
    found = life(opening, 0, title)
    parts = (found.born, found.birthplace, found.died, found.deathplace)
    return [opening[part.start : part.end] if part else None for part in parts]


@pytest.mark.parametrize(
    ("opening", "title", "expected"),
    [
        (
            "Jo Aske (12 May 1901, Ghent – 3 June 1970) was",
            "Jo Aske",
            ["12 May 1901", "Ghent", "3 June 1970", None],
        ),
        (
            "Jo Aske (Lyon, 1 May 1901 – Paris, France, 3 June 1970) was",
            "Jo Aske",
            ["1 May 1901", "Lyon", "3 June 1970", "Paris"],
        ),
        (
            "Jo Aske( August 21, 1901 Reno, Nevada- April 7, 1988 Rome) was",
            "Jo Aske",
            ["August 21, 1901", "Reno, Nevada", "April 7, 1988", "Rome"],
        ),
        (
            "Jo Aske (born Mo Lif; 4 May 1908 in Kiev – 4 April 1980 in Naples) was",
            "Jo Aske",
            ["4 May 1908", "Kiev", "4 April 1980", "Naples"],
        ),
        ("Jo Aske (d. 20 March 851) was", "Jo Aske", [None, None, "20 March 851", None]),
        ("Jo Aske (born 1966 in Oslo), is", "Jo Aske", ["1966", "Oslo", None, None]),
        ("Jo Aske (c. 863 – 399 BC) was", "Jo Aske", ["c. 863", None, "399 BC", None]),
        ("Jo Aske (died after 938) was", "Jo Aske", [None, None, None, None]),
        ("Jo Aske (r. 1200–1210) was king", "Jo Aske", [None, None, None, None]),
        (
            "Jo Aske (Joanna Aske, 1 May 1901 – 2 May 1902) was",
            "Jo Aske",
            ["1 May 1901", None, "2 May 1902", None],
        ),
        (
            "Jo Aske (Mo (1886-1905) Li; May 1, 1901 June 2, 1902) was",
            "Jo Aske",
            ["May 1, 1901", None, "June 2, 1902", None],
        ),
        ("Jo Aske is (1 May 1901) old", "Jo Aske", [None, None, None, None]),
    ],
)
def test_life_reads_the_opening_parenthesis(
    opening: str, title: str, expected: list[str | None]
) -> None:
    """Protects the richest source of dates and places; reigns and bounds are no births."""
    assert lived(opening, title) == expected


@pytest.mark.parametrize(
    ("text", "kind", "value", "canonical"),
    [
        ("Swedish prime minister Olof Palme, who", "person", "Olof Palme", "olof palme"),
        ("Quebec film director Denys Roy.", "person", "Denys Roy", "denys roy"),
        ("King Norodom of Asia from", "person", "Norodom of Asia", "norodom of asia"),
        ("Albert III, Duke of Bavaria and Anna", "person", "Albert III, Duke of Bavaria", None),
        ("John Wallop, 2nd Earl of Ports and", "person", "John Wallop, 2nd Earl of Ports", None),
        ("J. R. Smith's brother", "person", "J. R. Smith", "j r smith"),
        ("Cambodia by marriage", "person", None, None),
        ("the city of Reno, Nevada, Aske moved", "place", "Reno, Nevada", "reno nevada"),
        ("May 1901", "place", None, None),
        ("12 May 1901 in", "date", "12 May 1901", "1901-05-12"),
        ("399 BC", "date", "399 BC", "-0399"),
        ("a tumour of the lung in 1950", "any", "tumour of the lung", "tumour of the lung"),
    ],
)
def test_value_at_reads_a_typed_value(
    text: str, kind: str, value: str | None, canonical: str | None
) -> None:
    """Protects values from role words, countries and the words that follow them."""
    found = value_at(text, 0, len(text), kind)  # type: ignore[arg-type]
    assert (found and text[found.start : found.end]) == value
    if canonical:
        assert found is not None
        assert found.canonical == canonical


def read(question: str, title: str, body: str) -> Reading | None:
    requirement = Requirement(1, "lookup", question)
    (found,) = READER.link(requirement, question, [Unit("u", title, f"{title}\n{body}")])
    return found


@pytest.mark.parametrize(
    ("question", "body", "value"),
    [
        (
            "Who is the director of X?",
            "X is a 1931 comedy film written and directed by Jo Roy.",
            "Jo Roy",
        ),
        ("X >> director", "X is a film. Directed by Jo Roy, it was lost.", "Jo Roy"),
        ("Who directed X?", "X is a film. A remake, Y, was directed by Jo Roy.", None),
        ("Who is the performer of X?", "X is a song by American rapper Jo Roy.", "Jo Roy"),
        ("Who is the composer of X?", "X is a film. The music was composed by Jo Roy.", "Jo Roy"),
        ("X >> author", "X is a novel by Jo Roy.", "Jo Roy"),
        (
            "What company published X?",
            "X is a journal published monthly by the Kiln Society.",
            "Kiln Society",
        ),
        ("Who is the father of X?", "X was the son of King Jo of Asia and Anna Roy.", "Jo of Asia"),
        ("Who is the mother of X?", "X was the son of King Jo of Asia and Anna Roy.", "Anna Roy"),
        ("Who is the father of X?", "X is old. He married Mo, daughter of Jo Roy.", None),
        ("Who is the father of X?", "X is old. The only son of Jo Roy, he left.", "Jo Roy"),
        ("Who is the spouse of X?", "X is old. She was married in 1463 to Jo Roy.", "Jo Roy"),
        ("Who is the child of X?", "X is old. His son is the writer Jo Roy.", "Jo Roy"),
        ("Where was X born?", "X is old. He was born in Reno, Nevada and left.", "Reno, Nevada"),
        ("Where was X born?", "X is old. His son Jo was born in Reno.", None),
        ("Where was X born?", "X is old. His son was born in Reno.", None),
        ("Where did X die?", "X is old. He died in a fire in Reno.", "Reno"),
        ("Why did X die?", "X is old. He died of lung cancer in Reno.", "lung cancer"),
        ("Which country is X from?", "X is a former New Zealand singer.", "New Zealand"),
        (
            "Which country is X from?",
            "X is an island in Reno, Russia, by the Gulf of Finland.",
            "Russia",
        ),
        ("Which country is X from?", "X was a soldier who died in the Iraq War.", None),
        ("What city was X formed in?", "X is a band formed in Reno, Nevada.", "Reno"),
        ("When was X released?", "X is a 1931 American film.", "1931"),
        ("When was X founded?", "X is a museum. It was founded in Reno in 1893.", "1893"),
        ("Who is the friend of X?", "X was a friend of Jo Roy.", None),
        ("Where was X born?", "X is old. He was born in Lyon, France.", "Lyon"),
        ("Where was X born?", "X is old. He was born in Atlanta, Georgia.", "Atlanta, Georgia"),
        ("Where was X born?", "X (born 4 May 1908) is a Thai poet in Reno.", None),
        ("X >> place of birth", "X is old. He was born in Reno, Nevada and left.", "Reno"),
        ("What was X's city of birth?", "X is old. He was born in Reno, Nevada.", "Reno"),
        ("Where did X study?", "X is old. He studied at Jo Roy's workshop.", None),
        ("Who is the father of X?", "X is old. He married Mo, who was a son of Jo Roy.", None),
        ("Who is the father of X?", "X is a Thai poet in Reno who is a son of Jo Roy.", "Jo Roy"),
        (
            "Who is the producer of X?",
            "X is a film produced by one of its stars, Jo Roy.",
            "Jo Roy",
        ),
        ("X >> director", "X is a 1915 film directed by and starring Jo Roy.", "Jo Roy"),
        ("X >> director", "X is a film. The low-budget film was directed by Jo Roy.", "Jo Roy"),
        (
            "X >> director",
            "X is a film. The film, which stars Mo Lif, was directed by Jo Roy.",
            "Jo Roy",
        ),
        ("X >> composer", "X is a film. It stars Mo Lif with music composed by Jo Roy.", "Jo Roy"),
        (
            "X >> composer",
            "X is a film. The movie was produced by Mo Lif and Al Sen and had music by Jo Roy.",
            "Jo Roy",
        ),
        ("X >> performer", "X is a song by Thai rock group, The Kilns.", "The Kilns"),
        ("When did X die?", "X was a Thai scholar of old books, who died in 1706.", "1706"),
        ("When did X die?", "X was the son of Mo Lif of Reno, who died in 1706.", None),
        ("Where did X die?", "X is old. He died in 1706 and was buried in Reno.", None),
        ("Where was X born?", "X is old. He was born in Saint Jo's Parish.", "Saint Jo's Parish"),
        (
            "Where did X study?",
            "X is old. He was educated at St. Jo's College.",
            "St. Jo's College",
        ),
        ("X >> father", "X is old. On the death of his father, Jo Roy, he left.", "Jo Roy"),
        ("X >> father", "X is old. Al Sen met his father, Jo Roy.", None),
        ("X >> father", "X was born to Jo Roy and Mo Lif, a daughter of Al Sen.", "Jo Roy"),
        (
            "X >> father",
            "X is old. He married Ann Lee, Lady of Reno and Asia, a daughter of Al Sen.",
            None,
        ),
        ("X >> spouse", "X is old. He married in 1842 Ann Roy of Reno.", "Ann Roy of Reno"),
        ("X >> spouse", "X is old. He married, firstly, Ann Roy.", "Ann Roy"),
        ("When did X end?", "X is old. It was dissolved in the 1980s.", None),
        ("When did X end?", "X is old. It was dissolved on 4 May 1908.", "4 May 1908"),
        ("Which state is X in?", "X is a station licensed to Reno, Nevada, USA.", "Nevada"),
        ("Which state is X in?", "X is a farm in north-west Iowa.", "Iowa"),
        ("Which continent is X on?", "X is a waterfall in southern Africa.", "Africa"),
        ("What is the capital of X?", "X is old. Its capital is Reno.", "Reno"),
        (
            "What is the capital of X?",
            "X is old. It is the largest but for the capital, Reno.",
            None,
        ),
        ("X >> capital of", "X is the capital and largest city of Asia.", "Asia"),
        (
            "What does X flow into?",
            "X joins the Atb River, which is a tributary of the Nile.",
            "Atb River",
        ),
        ("What body of water is X next to?", "X is a town on the Tam River in Asia.", "Tam River"),
        ("What body of water is X next to?", "X is a town in the Tam River valley.", None),
        (
            "Who was X named after?",
            'X is old. The name "X" was taken from the Tam River.',
            "Tam River",
        ),
        ("X >> instance of", "X is a 5-star luxury hotel located at Reno.", "hotel"),
        ("X >> sport", "X is a former water polo player from Asia.", "water polo"),
        ("X >> language", "X is a 1970 Thai-language film.", "Thai"),
        (
            "Who owns X?",
            "X is a casino. It is owned and operated by the Kiln Society.",
            "Kiln Society",
        ),
        ("Who is the architect of X?", "X is a museum. It was designed by Jo Roy.", "Jo Roy"),
        ("Who is in charge of X?", "X is old. They elected Jo Roy as the new President.", "Jo Roy"),
        ("Who is in charge of X?", "X is old. A band led by Jo Roy played.", None),
        ("How many stores are in X?", "X has 35 stores.", None),
    ],
)
def test_link_reads_a_relation_of_the_page(question: str, body: str, value: str | None) -> None:
    """Protects cues: the page's own relation is read, another entity's or a guess is not."""
    found = read(question, "X", body)
    assert (found and found.value) == value


@pytest.mark.parametrize(
    ("question", "body", "value"),
    [
        ("Which country is Kilnland from?", "Kilnland is a Thai island.", "Thai"),
        ("Which country is Kilnland from?", "Chess is a Thai sport.", None),
        ("Kilnland >> instance of", "Kilnlandia is an island in Asia.", "island"),
        ("Kilnland >> instance of", "Chess is a leading sport in Asia.", None),
        ("Kilnland >> director", "Ofenland is a 1965 film directed by Jo Roy.", "Jo Roy"),
        ("When was Kilnland born?", "(4 May 1908 – 1 May 1970) was a poet.", "4 May 1908"),
        ("When was Kilnland born?", "Mo Lif (4 May 1908 – 1 May 1970) lived there.", None),
    ],
)
def test_only_a_lead_speaks_of_the_subject_unasked(
    question: str, body: str, value: str | None
) -> None:
    """Protects against later paragraphs of a page, which open with something else."""
    found = read(question, "Kilnland", body)
    assert (found and found.value) == value


@pytest.mark.parametrize(
    ("question", "body", "value"),
    [
        (
            "when did the x open in Reno",
            "X is a cinema. It opened in Reno on 4 May 1908.",
            "4 May 1908",
        ),
        ("when did the x open in Reno", "X is a cinema. It opened on 4 May 1908.", None),
        ("when did x open in Reno", "X is old. It opened in Reno in 1908 or 1909.", None),
        ("when did x open in Reno", "X is old. Mo opened in Reno in 1908.", None),
        (
            "who was president when X became a state",
            "X is old. X became a state when President Jo Roy signed.",
            "Jo Roy",
        ),
        (
            "who conquered X around 43",
            "X is old. X was conquered by the Roman Host in 43.",
            "Roman Host",
        ),
        ("where was the X held", "X was held in Reno from 1908.", "Reno"),
        ("where was the X held", "X was large. Mo was held in Reno.", None),
        ("how much is held in X", "X is old. 35 are held in X.", None),
    ],
)
def test_link_answers_free_questions_by_their_own_words(
    question: str, body: str, value: str | None
) -> None:
    """Protects free questions from guesses: all words in one sentence, and one value."""
    found = read(question, "X", body)
    assert (found and found.value) == value


def test_link_gives_offsets_sentence_and_cue_for_audit() -> None:
    """Protects a person's check: the value stands where the reading says, and why."""
    body = "X is a film. It was directed by Jo Roy."
    found = read("Who is the director of X?", "X", body)
    assert found is not None
    text = f"X\n{body}"
    assert text[found.start : found.end] == found.value == "Jo Roy"
    assert text[slice(*found.sentence)] == "It was directed by Jo Roy."
    assert found.cue == "director: directed by"


@pytest.mark.parametrize(
    ("question", "sentence", "value", "holds"),
    [
        ("Who is the director of X Y?", "The film X Y was directed by Jo Roy.", "Jo Roy", True),
        ("Who is the director of X Y?", "X Y Z was directed by Jo Roy.", "Jo Roy", False),
        ("Which country is Jo Roy from?", "It is an Italian film by Jo Roy.", "Italian", False),
        ("Which country is X Y (1940 film) from?", "X Y is a 1981 Thai film.", "Thai", False),
        ("How many stores are in X Y?", "X Y has 35 stores.", "35", False),
    ],
)
def test_verify_wants_the_named_entity_before_the_value(
    question: str, sentence: str, value: str, holds: bool
) -> None:
    """Protects against co-mentions and near namesakes, most of the wrong twin answers."""
    start = sentence.index(value)
    unit = Unit("u", "", sentence)
    span = (0, len(sentence))
    reading = Reading(value, value, "any", start, start + len(value), span, "cue")
    requirement = Requirement(1, "lookup", question)
    assert READER.verify(requirement, question, unit, reading) is holds


FILM = Unit("film", "Red Kiln", "Red Kiln\nRed Kiln is a 1931 film directed by Ada Lund.")
MAKER = Unit("maker", "Ada Lund", "Ada Lund\nAda Lund (12 May 1901 – 3 June 1970) was a director.")
PRIZE = Unit("prize", "Lund Prize", "Lund Prize\nThe Lund Prize (born 1 May 1950) is a prize.")


@pytest.mark.parametrize(
    ("question", "units", "answer"),
    [
        ("When was the director of film Red Kiln born?", [FILM, MAKER], "12 May 1901"),
        ("When was the director of film Red Kiln born?", [FILM], None),
        ("When was the director of film Red Kiln born?", [], None),
        ("Who painted the kiln and why?", [FILM, MAKER], None),
    ],
)
def test_answer_follows_the_plan_over_the_given_units(question, units, answer) -> None:
    """Protects the column that compares certificates with whole pools from guessing."""
    assert READER.answer(question, units) == answer


def test_answer_checks_no_entity() -> None:
    """Protects the contrast: read without a check, the best ranked namesake is believed."""
    assert READER.answer("When was Ada Lund born?", [PRIZE, MAKER]) == "1 May 1950"
    assert READER.answer("When was Ada Lund born?", [MAKER, PRIZE]) == "12 May 1901"
