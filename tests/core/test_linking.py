"""The entity check: which page may speak for the entity a requirement names."""

import pytest

from certify_core.folding import split_title
from certify_core.linking import Rules, aliases, anchoring, informative_tokens, names
from certify_core.model import Unit
from certify_core.regions import namesake_base


def page(title: str, body: str = "") -> Unit:
    return Unit("u", title, f"{title}\n{body}")


@pytest.mark.parametrize(
    ("title", "tokens"),
    [
        ("The Return of the Film", ("return",)),
        ("Dark River (2017 film)", ("dark", "river")),
        ("The Who", ("who",)),
        ("Film", ("film",)),
        ("Of", ("of",)),
        ("Queen Anne", ("anne",)),
        ("Oh Boy, Oh Boy", ("oh", "boy", "oh", "boy")),
        ("(Untitled)", ("untitled",)),
        ("!!!", ()),
    ],
)
def test_informative_tokens_never_lose_the_whole_title(title: str, tokens: tuple[str, ...]) -> None:
    """Protects titles of stop words and kinds from anchoring to everything."""
    assert informative_tokens(title) == tokens


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Who is the director of the film God'S Gift To Women?", "God's Gift to Women"),
        ("Who is the mother of Lothair Ii?", "Lothair II"),
        ("Who is the father of Maurice, Prince Of Orange?", "Maurice, Prince of Orange"),
        ("When was S. R. Puttanna Kanagal born?", "Puttanna Kanagal"),
        ("When was Sir Thomas Wheate born?", "Thomas Wheate"),
        ("Who sang !!!?", "!!!"),
        ("Hello Love >> performer", "Hello Love"),
    ],
)
def test_anchoring_holds_for_the_named_entity(text: str, title: str) -> None:
    """Protects the passages that answer a lookup from being turned away."""
    assert anchoring(text, page(title)).holds


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Who is the director of the film Inside The Room?", "The Room"),
        ("Who is the mother of Lothair Ii?", "Lothair I"),
        ("Who is the mother of Lothair Ii?", "Lothair"),
        ("When was Ken Burns Jr. born?", "Ken Burns"),
        ("Who is the performer of the song Oh Boy, Oh Boy, Oh Boy!?", "Oh Boy"),
        ("Who directed Where Are You? I'M Here?", "Where Are You"),
        ("Is John Brown the son of Mary Smith?", "John Smith"),
        ("Where is Paris, Texas?", "Paris"),
        ("Who is the father of Maurice, Prince Of Orange?", "Maurice"),
    ],
)
def test_anchoring_refuses_part_of_a_longer_name(text: str, title: str) -> None:
    """Protects against near namesakes, the main source of wrong certificates."""
    assert not anchoring(text, page(title)).holds


@pytest.mark.parametrize(
    ("text", "title", "namesakes", "holds"),
    [
        ("Who directed the film Dark River (2017 Film)?", "Dark River (2017 film)", (), True),
        ("Who directed the film Dark River (2017 Film)?", "Dark River (1990 film)", (), False),
        ("Who directed the film Dark River (2017 Film)?", "Dark River", (), False),
        ("When was William Duncan born?", "William Duncan (actor)", (), True),
        (
            "When was William Duncan born?",
            "William Duncan (actor)",
            ("William Duncan (bishop)",),
            False,
        ),
        ("Who directed the film Hypocrite?", "Hypocrite (film)", ("Hypocrite (novel)",), True),
        ("Who directed the film Hypocrite?", "Hypocrite (song)", (), False),
        ("Who directed the film Hypocrite?", "Hypocrite", ("Hypocrite (film)",), False),
        ("Who wrote Brand?", "Brand", ("Brand (play)",), True),
    ],
)
def test_anchoring_weighs_the_suffix_against_namesakes(
    text: str, title: str, namesakes: tuple[str, ...], holds: bool
) -> None:
    """Protects against the page of the other bearer of a shared name."""
    assert anchoring(text, page(title), namesakes).holds is holds


@pytest.mark.parametrize(
    ("text", "title", "body", "namesakes", "holds"),
    [
        ("Where is Baure?", "Baure, Nigeria", "Baure is a town.", (), True),
        ("Where is Baure?", "Baure, Bolivia", "Baure is a town.", ("Baure, Nigeria",), False),
        ("Where is Baure in Niger?", "Baure, Nigeria", "Baure is a town.", (), False),
        ("Where is Baure, Nigeria?", "Baure, Nigeria", "Baure is a town.", ("Baure, Chad",), True),
        ("Where is Kiln (near Baure)?", "Baure, Nigeria", "Baure is a town.", (), False),
        ("Where is Old Baure?", "Baure, Nigeria", "Baure is a town.", (), False),
        ("Who said good Morning?", "Morning, Vietnam", "Morning, Vietnam is a film.", (), False),
        ("Who is Maurice?", "Maurice, Prince of Orange", "Maurice was old.", (), False),
    ],
)
def test_anchoring_accepts_a_place_without_its_region(
    text: str, title: str, body: str, namesakes: tuple[str, ...], holds: bool
) -> None:
    """Protects pages of places from being missed, and from standing in for namesakes."""
    assert anchoring(text, page(title, body), namesakes).holds is holds
    assert anchoring("Is it " + text, page(title, body), namesakes, Rules(places=False)).holds is (
        title in text
    )


def test_namesakes_share_a_base() -> None:
    """Protects the namesake check: towns of one name in two regions share it."""
    titles = ("Reno, Nevada", "Reno, Washoe County, Texas", "Reno (song)", "Reno")
    assert {namesake_base(title) for title in titles} == {"reno"}
    assert namesake_base("Good Morning, Vietnam") == "good morning"
    assert namesake_base("Maurice, Prince of Orange") == "maurice prince of orange"
    assert namesake_base("!!!") == "!!!"


def test_anchoring_accepts_a_name_the_first_sentence_gives() -> None:
    """Protects pages titled by a stage name, and says that an alias was used."""
    unit = page("Nicki Minaj", "Onika Maraj, also known as Barbie Tingz, is a rapper. She sings.")
    found = anchoring("Where was Barbie Tingz born?", unit)
    assert found.holds
    assert found.reason == (
        "“Nicki Minaj” gives itself another name: the requirement names “Barbie Tingz”"
    )
    assert not anchoring("Where was Barbie Tingz born?", unit, rules=Rules(aliases=False)).holds


def test_aliases_leave_out_single_words_and_later_sentences() -> None:
    """Protects against surnames and nicknames that many share."""
    unit = page("A B", "A B (née Percy), also known as Red, is old. Later known as Dora Vane.")
    assert aliases(unit) == ()


def test_anchoring_switches_return_to_the_looser_rules() -> None:
    """Protects the named switches for choices that the source leaves open."""
    text = "Who directed the film Inside The Room (2017 Film)?"
    assert anchoring(text, page("The Room"), rules=Rules("anchor", "drop")).holds
    shared = ("William Duncan (bishop)",)
    loose = Rules(suffix="drop")
    assert anchoring(
        "When was William Duncan born?", page("William Duncan (actor)"), shared, loose
    ).holds


def test_anchoring_refuses_a_sentence_about_someone_else() -> None:
    """Protects against a value the page states of another entity."""
    found = anchoring("When was A Bell born?", page("A Bell"), subject="Carl Dorn")
    assert (found.holds, found.reason) == (
        False,
        "the sentence speaks of “Carl Dorn”, not of “A Bell”",
    )


@pytest.mark.parametrize(
    ("title", "namesakes", "reason"),
    [
        ("The Room", (), "“The Room” is only part of “Inside The Room”"),
        ("The Blue Room", (), "the requirement does not name “blue” of “The Blue Room”"),
        ("Inside the Room", (), "the requirement names “Inside the Room”"),
        (
            "Inside the Room (opera)",
            ("Inside the Room",),
            "“Inside the Room (opera)” is not of the kind the requirement names",
        ),
        (
            "Inside the Room (1935)",
            ("Inside the Room",),
            "“Inside the Room (1935)” shares its name with “Inside the Room”",
        ),
    ],
)
def test_anchoring_gives_a_reason_a_person_can_read(
    title: str, namesakes: tuple[str, ...], reason: str
) -> None:
    """Protects the audit: every grade says why in words."""
    text = "Who is the director of the film Inside The Room?"
    assert anchoring(text, page(title), namesakes).reason == reason


def test_names_wants_the_whole_name() -> None:
    """Protects verification from co-mentions of a longer name."""
    assert names("The film Inside the Room", "Inside the Room")
    assert not names("Wizards of the Lost Kingdom II is", "Wizards of the Lost Kingdom")


@pytest.mark.parametrize(
    ("title", "base", "suffix"),
    [
        ("Cedar (film)", "Cedar", "film"),
        ("Cedar  (1933 film) ", "Cedar", "1933 film"),
        ("Cedar (river) (film)", "Cedar (river)", "film"),
        ("Cedar (film) II", "Cedar (film) II", ""),
        ("Cedar ()", "Cedar", ""),
        ("(film)", "", "film"),
    ],
)
def test_title_splits_at_its_last_parenthesis(title: str, base: str, suffix: str) -> None:
    """The one rule for what a title is told apart by."""
    assert split_title(title) == (base, suffix)
