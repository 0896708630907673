"""An invented study: films, the lives of their directors, and questions over both.

Three questions in four need two lookups and one needs four, about as in 2WikiMultiHopQA.
Titles and names share their words, so that every search finds a full window of others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

SEED = 11

COLOURS = (
    "Amber Ashen Azure Bitter Black Blue Brass Broken Bronze Burning Clear Copper Crimson "
    "Dark Deep Distant Dusty Empty Faded Fallen First Frozen Gentle Gilded Golden Green Grey "
    "Hidden Hollow Iron Last Long Lonely Lost Narrow Northern Open Pale Quiet Red Restless "
    "Rising Second Secret Silent Silver Sleeping Slow Small Southern Still Stolen Tall Third "
    "Violet Wandering White Wild"
).split()
THINGS = (
    "Anchor Arch Bell Bridge Candle Canal Cellar Chapel Circle Clock Cloister Coast Compass "
    "Corner Crossing Door Ferry Field Fjord Forest Garden Gate Glacier Harbour Hill House "
    "Island Kitchen Ladder Lake Lamp Lantern Letter Lighthouse Market Meadow Mill Mirror "
    "Mountain Orchard Passage Path Pier Plain River Road Roof Room Shore Signal Spring Square "
    "Stair Station Stone Storm Street Summer Tower Train Valley Village Wall Window Winter "
    "Wood"
).split()
FIRST = (
    "Ada Agnes Albert Alma Anders Anna Arne Axel Bertha Bruno Carl Clara Conrad Dora Edith "
    "Edwin Elias Ella Emil Erik Esther Felix Frida Georg Greta Gustav Hanna Hans Hedda Helge "
    "Henrik Hilda Hugo Ida Ingrid Irma Ivan Jakob Johan Jonas Karin Klara Lars Laura Lena Leo "
    "Linda Ludvig Magda Marta Max Mina Nils Nora Olga Oskar Otto Paula Petra Ragnar Rosa "
    "Selma Signe Sigrid Stella Sven Thea Tilda Ulrik Vera Victor Walter Wilma"
).split()
LAST = (
    "Aker Almgren Backe Berg Bjerke Blom Borch Brandt Dahl Ekman Engel Falk Fjeld Forsberg "
    "Frost Gran Grimm Haag Hagen Halvor Hauge Hedin Holm Hult Iversen Jansen Juel Kielland "
    "Kjaer Klein Krag Krogh Lange Lind Lund Lysne Malm Moe Munk Nerdal Norberg Nygaard Oberg "
    "Ostby Palm Quist Ramberg Rask Ravn Rosen Rud Sand Sandberg Selmer Skov Sommer Stang "
    "Storm Strand Strom Sund Svane Thorne Tveit Vang Vik Wahl Winge Wolff Ziegler"
).split()
TOWNS = (
    "Ghent Bergen Uppsala Turku Aarhus Lund Tartu Kiel Bremen Leiden Bruges Odense Trondheim "
    "Gdansk Riga Vilnius Malmo Tampere Utrecht Rostock"
).split()
TRADES = ("Belgian", "Norwegian", "Swedish", "Finnish", "Danish", "Dutch", "German", "Polish")
GENRES = ("drama", "comedy", "thriller", "documentary", "western", "crime", "war", "adventure")


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    born: date
    died: date
    town: str
    trade: str

    @property
    def text(self) -> str:
        return (
            f"{self.name}\n{self.name} ({_day(self.born)}, {self.town} – {_day(self.died)}) was a "
            f"{self.trade} film director. Early letters, and a diary of the years abroad, were "
            "published long afterwards by a small press."
        )


@dataclass(frozen=True, slots=True)
class Film:
    title: str
    year: int
    genre: str
    director: Person

    @property
    def text(self) -> str:
        return (
            f"{self.title}\n{self.title} is a {self.year} {self.genre} film directed by "
            f"{self.director.name}. It was shot in {self.director.town} within a few weeks, and "
            "was shown again after many years, when a copy was found in an archive."
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its right answer and how many lookups it takes."""

    text: str
    answer: str
    lookups: int


@dataclass(frozen=True, slots=True)
class Study:
    passages: tuple[str, ...]
    questions: tuple[Asked, ...]


def study(questions: int) -> Study:
    """The same study every time: no film is asked about twice."""
    chance = random.Random(SEED)
    films = list(_films(questions + questions // 4 + 100, chance))
    passages = tuple(text for film in films for text in (film.text, film.director.text))
    unused = iter(films)
    return Study(passages, tuple(_question(number, unused) for number in range(questions)))


def _question(number: int, films: Iterator[Film]) -> Asked:
    film = next(films)
    if number % 4 == 3:
        return _comparison(film, next(films))
    if number % 4 == 1:
        text = f"When did the director of film {film.title} die?"
        return Asked(text, _day(film.director.died), 2)
    return Asked(f"Where was the director of film {film.title} born?", film.director.town, 2)


def _comparison(one: Film, other: Film) -> Asked:
    first = min(one, other, key=lambda film: film.director.born)
    text = "Which film has the director who was born earlier"
    return Asked(f"{text}, {one.title} or {other.title}?", first.title, 4)


def _films(count: int, chance: random.Random) -> Iterator[Film]:
    titles = [f"The {colour} {thing}" for colour in COLOURS for thing in THINGS]
    for title, director in zip(chance.sample(titles, count), _people(count, chance), strict=True):
        year = director.born.year + chance.randint(25, 45)
        yield Film(title, year, chance.choice(GENRES), director)


def _people(count: int, chance: random.Random) -> Iterator[Person]:
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    births = chance.sample(range(40 * 365), count)
    for name, birth in zip(chance.sample(names, count), births, strict=True):
        born = date(1870, 1, 1) + timedelta(days=birth)
        yield Person(
            name,
            born,
            born + timedelta(days=chance.randint(50 * 365, 90 * 365)),
            chance.choice(TOWNS),
            chance.choice(TRADES),
        )


def _day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
