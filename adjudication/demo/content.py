"""What the demo project holds. Every name, text and date here is invented.

The ledger has four claims, A to D, after the four ways in which a right-looking answer
can be judged: a missing link that was found (A), one that was never found (B), an
alternative route that is complete (C), and a premise replaced by a later version (D).
"""

from __future__ import annotations

from dataclasses import dataclass, field

PUBLIC = "public"
STAFF = "staff"
LEGAL = "legal"


@dataclass(frozen=True, slots=True)
class Page:
    """A source with its captured versions, oldest first."""

    key: str
    title: str
    bodies: tuple[str, ...]
    readers: tuple[str, ...] = (PUBLIC, STAFF, LEGAL)
    published: tuple[str, ...] = ()
    effective_from: tuple[str, ...] = ()

    def text(self, number: int) -> str:
        return f"{self.title}\n{self.bodies[number - 1]}"


@dataclass(frozen=True, slots=True)
class Route:
    """An evidence set: quotations with the key of the page each stands on."""

    members: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question; where an answer is known, its claim and the routes proposed for it."""

    key: str
    question: str
    value: str = ""
    claim: str = ""
    entities: tuple[str, ...] = ()
    routes: tuple[Route, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Closing:
    """Words of a page's first version that are closed to some reader classes."""

    page: str
    quotation: str
    classes: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Person:
    username: str
    name: str
    roles: tuple[str, ...]
    classes: tuple[str, ...] = (PUBLIC,)


PEOPLE = (
    Person("lena", "Lena Lindqvist", ("lead",), (PUBLIC, STAFF, LEGAL)),
    Person("rosa", "Rosa Rennert", ("reviewer", "annotator"), (PUBLIC, STAFF)),
    Person("rui", "Rui Ramalho", ("reviewer", "annotator"), (PUBLIC, STAFF)),
    Person("ada", "Ada Adeyemi", ("adjudicator",), (PUBLIC, STAFF, LEGAL)),
    Person("remy", "Remy Roux", ("reader",)),
    Person("otto", "Otto Olsen", ("auditor",), (PUBLIC, STAFF, LEGAL)),
)

PAGES = (
    # A: the mapping and the rights schedule.
    Page(
        "cedar-register",
        "Project register, entry Cedar",
        (
            "The register lists every project under its working name. "
            "Project Cedar is mapped to record R17. "
            "Working names are not used in contracts.",
        ),
        published=("2026-01",),
    ),
    Page(
        "rights-schedule",
        "Rights schedule",
        (
            "This schedule is kept by the registry office. "
            "Entity R holds the rights associated with record R17. "
            "Entity Q holds the rights associated with record R18.",
        ),
        published=("2026-02-10",),
        effective_from=("2026-02-01",),
    ),
    # B: where a gateway runs, and on which port.
    Page(
        "birch-deployment",
        "Deployment notes, Birch",
        ("The Birch gateway runs on node N4. It was moved there from node N2.",),
        published=("2026-03-02",),
    ),
    Page(
        "node-table",
        "Table of nodes",
        ("Node N2 accepts connections on port 8080. Node N4 accepts connections on port 8443.",),
        published=("2026-03-05",),
    ),
    # C: two complete routes to one claim, of which one is closed to the public; and a source
    # that disagrees.
    Page(
        "cypress-agreement",
        "Agreement on Cypress",
        (
            "The parties to the Cypress agreement are the Harbour Office and the Ferry Guild. "
            "The agreement enters into force on the day the second party signs.",
        ),
        published=("2025-11",),
    ),
    Page(
        "signing-log",
        "Log of signatures",
        (
            "The Harbour Office signed the Cypress agreement on 3 November 2025. "
            "The Ferry Guild signed the Cypress agreement on 9 November 2025 as second party.",
        ),
        published=("2025-11-09",),
    ),
    Page(
        "gazette-index",
        "Index of the gazette",
        ("Notice 41 announces the entry into force of the Cypress agreement.",),
        published=("2025-12",),
    ),
    Page(
        "gazette-41",
        "Gazette, notice 41",
        ("The instrument named in this notice entered into force on 9 November 2025.",),
        published=("2025-12-01",),
    ),
    Page(
        "ferry-newsletter",
        "Newsletter of the Ferry Guild",
        (
            "Readers ask when the Cypress agreement began: it entered into force on 1 "
            "December 2025.",
        ),
        published=("2025-12-15",),
    ),
    # D: later versions are outside the frozen evidence. One keeps the words, one changes them.
    Page(
        "dogwood-file",
        "File on Dogwood",
        (
            "Deliveries to Dogwood fall under tariff T3.",
            "Dogwood is reached by road alone. Deliveries to Dogwood fall under tariff T3.",
        ),
        published=("2026-01-20", "2026-10-02"),
    ),
    Page(
        "tariff-t3",
        "Tariff T3",
        (
            "Tariff T3 sets a limit of 40 units per delivery.",
            "Tariff T3 sets a limit of 55 units per delivery.",
        ),
        published=("2026-01-01", "2026-10-01"),
        effective_from=("2026-01-01", "2026-10-01"),
    ),
    # A premise that only some readers may inspect.
    Page(
        "power-of-attorney",
        "Power of attorney",
        ("Odile Okonkwo signs on behalf of Entity R.",),
        readers=(LEGAL,),
        published=("2026-02-12",),
    ),
    # Films, in the manner of an encyclopedia. One director's birth is stated nowhere.
    Page(
        "glass-orchard",
        "The Glass Orchard",
        ("The Glass Orchard is a 2011 drama film directed by Mirela Vance.",),
    ),
    Page(
        "night-ferry",
        "Night Ferry to Ostrava",
        ("Night Ferry to Ostrava is a 1998 thriller film directed by Tomas Adair.",),
    ),
    Page(
        "mirela-vance",
        "Mirela Vance",
        ("Mirela Vance (born 14 March 1969) is a film director and former glass blower.",),
    ),
    Page(
        "tomas-adair",
        "Tomas Adair",
        ("Tomas Adair (2 June 1951 – 30 August 2019) was a film director and ferry pilot.",),
    ),
    Page(
        "salt-harbour",
        "Salt Harbour",
        ("Salt Harbour is a 2004 drama film directed by Ines Calloway.",),
    ),
    Page(
        "ines-calloway",
        "Ines Calloway",
        ("Ines Calloway is a film director who works with amateur actors.",),
    ),
    Page(
        "ines-calloway-painter",
        "Ines Calloway (painter)",
        ("Ines Calloway (born 7 May 1933) is a painter of seascapes.",),
    ),
)

CLOSED = Closing(
    "signing-log",
    "The Ferry Guild signed the Cypress agreement on 9 November 2025 as second party.",
    (PUBLIC,),
    "The guild asked that its signature is not shown to the public.",
)

LEDGER = (
    Case(
        "cedar-a",
        "Who holds the rights to Project Cedar?",
        "Entity R",
        "Entity R holds the rights to Project Cedar.",
        ("Entity R", "Project Cedar"),
        (
            Route(
                (
                    ("cedar-register", "Project Cedar is mapped to record R17."),
                    (
                        "rights-schedule",
                        "Entity R holds the rights associated with record R17.",
                    ),
                ),
                ("join-shared-entity",),
            ),
        ),
    ),
    Case(
        "birch-b",
        "On which port does the Birch gateway accept connections?",
        "8443",
        "The Birch gateway accepts connections on port 8443.",
        ("Birch gateway",),
        (
            Route(
                (
                    ("birch-deployment", "The Birch gateway runs on node N4."),
                    ("node-table", "Node N4 accepts connections on port 8443."),
                ),
                ("join-shared-entity",),
            ),
        ),
    ),
    Case(
        "cypress-c",
        "When did the Cypress agreement enter into force?",
        "9 November 2025",
        "The Cypress agreement entered into force on 9 November 2025.",
        ("Cypress agreement",),
        (
            Route(
                (
                    (
                        "cypress-agreement",
                        "The agreement enters into force on the day the second party signs.",
                    ),
                    (
                        "signing-log",
                        "The Ferry Guild signed the Cypress agreement on 9 November 2025 "
                        "as second party.",
                    ),
                ),
                ("join-shared-entity",),
            ),
            Route(
                (
                    (
                        "gazette-index",
                        "Notice 41 announces the entry into force of the Cypress agreement.",
                    ),
                    (
                        "gazette-41",
                        "The instrument named in this notice entered into force on "
                        "9 November 2025.",
                    ),
                ),
                ("join-shared-entity",),
            ),
        ),
    ),
    Case(
        "dogwood-d",
        "How many units may one delivery to Dogwood hold?",
        "40 units",
        "One delivery to Dogwood may hold at most 40 units.",
        ("Dogwood", "tariff T3"),
        (
            Route(
                (
                    ("dogwood-file", "Deliveries to Dogwood fall under tariff T3."),
                    ("tariff-t3", "Tariff T3 sets a limit of 40 units per delivery."),
                ),
                ("join-shared-entity",),
            ),
        ),
    ),
    Case(
        "signatory",
        "Who signs for the holder of the rights associated with record R17?",
        "Odile Okonkwo",
        "Odile Okonkwo signs for the holder of the rights associated with record R17.",
        ("Odile Okonkwo", "record R17"),
        (
            Route(
                (
                    (
                        "rights-schedule",
                        "Entity R holds the rights associated with record R17.",
                    ),
                    ("power-of-attorney", "Odile Okonkwo signs on behalf of Entity R."),
                ),
                ("join-shared-entity",),
            ),
        ),
    ),
)

FILMS = (
    Case(
        "films",
        "Which film has the director born later, The Glass Orchard or Night Ferry to Ostrava?",
        "The Glass Orchard",
        "Of The Glass Orchard and Night Ferry to Ostrava, The Glass Orchard has the director "
        "born later.",
    ),
    # The twin: the deciding birth date is stated nowhere, though a namesake's is.
    Case(
        "films-twin",
        "Which film has the director born later, Salt Harbour or Night Ferry to Ostrava?",
    ),
)
