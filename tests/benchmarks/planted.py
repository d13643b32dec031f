"""PlantedQA: long synthetic meetings with planted facts, and questions with exact answers.

Everything follows from a seed: who speaks, what is said, how it sounds, what is asked, what the
answer is and where it stands. The meeting between the planted facts is small talk about other
subjects with the same shape, so that nothing gives a fact away. Each question has several ways of
being asked; the generator picks one. Scored by rule, not by a model.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.types import Acoustics, Cue, Event, Utterance
from engine.types_answer import Answer

CATEGORIES = ("explicit", "multi_hop", "time", "aggregation", "cross_modal")

NAMES = ["Anna", "Boris", "Clara", "Denis", "Elena", "Felix", "Greta", "Hugo"]
SUBJECTS = [
    "parking",
    "catering",
    "website",
    "hiring",
    "logo",
    "training",
    "heating",
    "invoices",
    "newsletter",
    "carpet",
    "printers",
    "holidays",
    "canteen",
    "lockers",
    "forklift",
    "intranet",
    "mailing",
    "pension",
    "cleaning",
    "scanner",
]
_OPENERS = (
    "I looked at the {s} again and", "About the {s},", "Coming back to the {s},",
    "As for the {s}, I think", "Somebody asked me about the {s} and", "On the {s} side",
)  # fmt: skip
_BODIES = (
    "we are roughly where we were in spring.", "it needs another look before we commit.",
    "the supplier has not called back yet.", "nobody has complained so far.",
    "the draft is with the other office.", "it works better than it used to.",
    "I would rather wait for the numbers.", "the new form makes it easier.",
    "we could ask the neighbours how they do it.", "it is mostly a matter of habit.",
    "the old arrangement runs until the summer.", "there were two or three small hiccups.",
)  # fmt: skip
_SHORT = ("Right.", "Okay.", "Yeah.", "Mm-hm.", "I see.", "Sure.", "Well.", "Exactly.", "Hm.")


@dataclass(frozen=True)
class Gold:
    """What a right answer is.

    Attributes:
        parts: Every group must occur; a group is a tuple of alternatives (regular expressions).
        number: The number that must be the first one, or None.
        seconds: A time that must be named within 20 s, or None.
        letter: Of the right choice.
        is_abstention: The right answer is that it was not said.
    """

    parts: tuple[tuple[str, ...], ...] = ()
    number: int | None = None
    seconds: float | None = None
    letter: str = ""
    is_abstention: bool = False


@dataclass(frozen=True)
class Question:
    """One question with its category, gold answer and evidence (utterance indices)."""

    text: str
    category: str
    kind: str
    gold: Gold
    evidence: tuple[int, ...] = ()


@dataclass
class Meeting:
    """A synthetic meeting and what can be asked about it."""

    minutes: int
    seed: int
    utterances: list[Utterance] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


class _Script:
    """Lines with their places; sorted and timed at the end."""

    def __init__(self, seed: int, minutes: int) -> None:
        self.random = random.Random(seed * 1000 + minutes)
        self.names = self.random.sample(NAMES, self.random.randint(4, 8))
        self.n = minutes * 9
        self.lines: dict[int, tuple[str, str, Acoustics | None]] = {}
        self.events: dict[int, str] = {}
        self.pending: list[tuple[list[str], str, str, object, list[int]]] = []

    def place(self, low: float, high: float) -> int:
        """A free place between two shares of the meeting, with room around it if there is any."""
        for attempt in range(2000):
            room = 2 if attempt < 1000 else 1
            spot = int(self.random.uniform(low, high) * self.n)
            if 4 < spot < self.n - 4 and not any(
                s in self.lines for s in range(spot - room, spot + room + 1)
            ):
                return spot
        raise ValueError("the meeting is too short for what is planted")

    def say(self, spot: int, name: str, text: str, acoustics: Acoustics | None = None) -> int:
        self.lines[spot] = (name, text, acoustics)
        return spot

    def pick(self, n: int) -> list[str]:
        return self.random.sample(self.names, n)

    def ask(
        self, ways: Sequence[str], category: str, kind: str, gold: object, at: Sequence[int]
    ) -> None:
        self.pending.append((list(ways), category, kind, gold, list(at)))


def make(minutes: int, seed: int) -> Meeting:
    """Make a meeting of this many minutes."""
    script = _Script(seed, minutes)
    for plant in _PLANTS:
        plant(script)
    return _performed(script, minutes, seed)


def _explicit(s: _Script) -> None:
    item, price = s.random.choice(
        [("venue", 4350), ("piano", 2780), ("marquee", 1920), ("boat", 6140)]
    )
    a, b = s.pick(2)
    at = s.say(
        s.place(0.05, 0.95),
        a,
        f"The deposit for the {item} is {price} euros, I have it in writing.",
    )
    s.ask(
        [
            f"How much is the deposit for the {item}?",
            f"What deposit do they have to pay for the {item}?",
            f"What did {a} say about the deposit for the {item}?",
        ],
        "explicit",
        "fact",
        Gold(parts=((str(price), f"{price:,}"),)),
        [at],
    )
    s.ask(
        [
            f"Who said how much the deposit for the {item} is?",
            f"Which speaker named the {item} deposit?",
        ],
        "explicit",
        "who",
        Gold(parts=((a,),)),
        [at],
    )
    s.ask(
        [
            f"What did {b} say about the deposit for the {item}?",
            f"How does {b} explain the {item} deposit?",
            f"What is {b}'s opinion on the {item} deposit?",
        ],
        "explicit",
        "never_said",
        Gold(is_abstention=True),
        [],
    )
    town, street = s.random.choice(
        [("Lisbon", "harbour"), ("Turin", "station"), ("Bergen", "market")]
    )
    c = s.pick(1)[0]
    at = s.say(
        s.place(0.05, 0.95),
        c,
        f"The spring workshop takes place in {town}, right beside the {street}.",
    )
    s.ask(
        [
            "Where does the spring workshop take place?",
            "In which town is the spring workshop?",
            f"What did {c} say about the place of the spring workshop?",
        ],
        "explicit",
        "fact",
        Gold(parts=((town,),)),
        [at],
    )
    s.ask(
        [
            "What did they say about the submarine licence?",
            "How much does the submarine licence cost?",
            "Who is going to apply for the submarine licence?",
        ],
        "explicit",
        "never_said",
        Gold(is_abstention=True),
        [],
    )
    s.ask(
        [
            "What did Quentin say about the spring workshop?",
            "What does Quentin think of the spring workshop?",
        ],
        "explicit",
        "unknown_speaker",
        Gold(is_abstention=True),
        [],
    )


def _causal(s: _Script) -> None:
    thing, cause, word = s.random.choice(
        [
            (
                "greenhouse opening",
                "The glass only arrives in October, since the kiln in the factory broke.",
                "kiln|glass|october",
            ),
            (
                "museum visit",
                "The museum is closed for the flood repairs until the autumn.",
                "flood|repair|closed",
            ),
            (
                "bicycle race",
                "The police gave no permit for the bridge, so there is no route.",
                "permit|police|bridge|route",
            ),
        ]
    )
    a, b = s.pick(2)
    early = s.say(s.place(0.05, 0.4), a, f"{cause} That hits the {thing} of course.")
    late = s.say(
        s.place(0.55, 0.95), b, f"Then we have no choice, the {thing} is postponed to next year."
    )
    s.ask(
        [
            f"Why was the {thing} postponed?",
            f"What is the reason that the {thing} was put off?",
            f"For what reason did they postpone the {thing}?",
        ],
        "multi_hop",
        "causal",
        Gold(parts=((word,),)),
        [early, late],
    )


def _coreference(s: _Script) -> None:
    topic, idea = s.random.choice(
        [
            ("ovens", "hire a retired baker to test the ovens"),
            ("benches", "let the school children paint the benches"),
            ("lanterns", "borrow the lanterns from the theatre"),
        ]
    )
    a, b = s.pick(2)
    first = s.say(s.place(0.05, 0.45), a, f"We could {idea}.")
    later = s.say(s.place(0.5, 0.95), b, f"That idea of {a} with the {topic}, I am all for it.")
    s.ask(
        [
            f"Whose idea about the {topic} did {b} support?",
            f"Whose proposal on the {topic} is {b} in favour of?",
        ],
        "multi_hop",
        "coreference",
        Gold(parts=((a,),)),
        [first, later],
    )
    key = idea.split()[-1] if topic in idea.split()[-1] else idea.split()[3]
    s.ask(
        [
            f"What was the idea about the {topic} that {b} supports?",
            f"What did {a} propose to do with the {topic}?",
        ],
        "multi_hop",
        "coreference",
        Gold(parts=((key, "retired", "school", "theatre", "paint", "borrow"),)),
        [first, later],
    )


def _stance(s: _Script) -> None:
    topic = s.random.choice(
        ["tram ticket scheme", "four day week", "dog policy", "open plan office"]
    )
    a, b = s.pick(2)
    first = s.say(s.place(0.05, 0.4), a, f"I am against the {topic}, it costs us too much.")
    later = s.say(
        s.place(0.6, 0.95), a, f"I have changed my mind about the {topic}, I support it now."
    )
    other = s.say(s.place(0.3, 0.7), b, f"For me the {topic} can stay as it is.")
    s.ask(
        [
            f"How did {a}'s opinion of the {topic} change?",
            f"How did the attitude of {a} towards the {topic} change?",
            f"Did {a} change their mind about the {topic}, and how?",
        ],
        "multi_hop",
        "stance",
        Gold(parts=(("against", "oppos", "too much"), ("support", "for it", "favou?r"))),
        [first, later],
    )
    s.ask(
        [f"Did {a} in the end support the {topic}?", f"Does {a} support the {topic} at last?"],
        "multi_hop",
        "stance",
        Gold(parts=(("yes",),)),
        [later, other],
    )


def _counting(s: _Script) -> None:
    word = s.random.choice(["walrus", "lighthouse", "velvet", "compass"])
    n = s.random.randint(3, 7)
    spots, speakers = [], []
    for _ in range(n):
        spot = s.place(0.03, 0.97)
        name = s.pick(1)[0]
        s.say(
            spot,
            name,
            s.random.choice(
                [
                    f"The {word} picture would look nice on the wall.",
                    f"Did anyone order the {word} stickers?",
                    f"I still like the {word} as a mascot.",
                    f"For the children we take the {word} again.",
                ]
            ),
        )
        spots.append(spot)
        speakers.append(name)
    s.ask(
        [
            f"How many times is the word {word} mentioned?",
            f"How often does the word '{word}' come up?",
            f'How many times was "{word}" said in the meeting?',
        ],
        "time",
        "count",
        Gold(number=n),
        spots,
    )
    people = len(set(speakers))
    s.ask(
        [
            f"How many people mentioned the {word}?",
            f"How many different speakers talked about the {word}?",
        ],
        "aggregation",
        "speaker_count",
        Gold(number=people),
        spots,
    )
    s.ask(
        [f"Which speakers mentioned the {word}?", f"List everyone who mentioned the {word}."],
        "aggregation",
        "who_all",
        Gold(parts=tuple((name,) for name in sorted(set(speakers)))),
        spots,
    )
    first = min(spots)
    s.ask(
        [f"Who was the first to mention the {word}?", f"Who mentioned the {word} first?"],
        "time",
        "first",
        Gold(parts=((speakers[spots.index(first)],),)),
        [first],
    )


def _ordering(s: _Script) -> None:
    items = ["the fire drill", "the summer party", "the roof repair"]
    s.random.shuffle(items)
    spots = sorted(s.place(0.05, 0.95) for _ in range(1))
    spots = []
    for share, item in zip((0.1, 0.4, 0.7), items, strict=True):
        spots.append(
            s.say(
                s.place(share, share + 0.2),
                s.pick(1)[0],
                f"Let us settle {item} now, I have the list here.",
            )
        )
    a, b, c = items
    pair = s.random.choice([(a, b), (b, c), (a, c)])
    swapped = s.random.random() < 0.5
    x, y = pair if not swapped else pair[::-1]
    s.ask(
        [f"What was discussed first, {x} or {y}?", f"Which came first, {x} or {y}?"],
        "time",
        "order",
        Gold(parts=((rf"^\W*(the )?{pair[0][4:]}",),)),
        spots,
    )
    s.ask(
        [f"Was {x} discussed before {y}?", f"Did {x} come up before {y}?"],
        "time",
        "order",
        Gold(parts=((r"^\W*no\b",) if swapped else (r"^\W*yes\b",),)),
        spots,
    )


def _relative(s: _Script) -> None:
    spot = s.place(0.2, 0.8)
    a, b = s.pick(2)
    s.say(spot, a, "And with that the market research is done, thanks for the slides.")
    colour = s.random.choice(["turquoise", "crimson", "amber"])
    s.say(spot + 1, b, f"Next thing, the van will be painted {colour}.")
    s.ask(
        [
            "What was said right after the market research?",
            "What came up right after the market research was done?",
        ],
        "time",
        "after",
        Gold(parts=((colour, "van"),)),
        [spot + 1],
    )
    when = s.place(0.05, 0.95)
    name = s.pick(1)[0]
    s.say(when, name, "The ferry timetable changes in June, keep that in mind.")
    s.ask(
        [
            "When was the ferry timetable mentioned?",
            "At what time does the ferry timetable come up?",
            f"When did {name} mention the ferry timetable?",
        ],
        "time",
        "when",
        ("when", when),
        [when],
    )
    s.ask(
        ["AT:What did {} say around {}?".format(name, "{clock}")],
        "time",
        "at",
        Gold(parts=((r"ferry|timetable|june",),)),
        [when],
    )
    s.ask(["PAST:What was said at {clock}?"], "time", "past_end", Gold(is_abstention=True), [])


def _promises(s: _Script) -> None:
    a, b = s.pick(2)
    things = s.random.sample(
        [
            "repaint the fence",
            "call the plumber",
            "order the helmets",
            "renew the insurance",
            "water the roses",
        ],
        3,
    )
    spots = [
        s.say(s.place(lo, lo + 0.25), a, f"I promise to {thing} before Friday.")
        for lo, thing in zip((0.05, 0.35, 0.65), things, strict=True)
    ]
    s.say(s.place(0.1, 0.9), b, "I promise nothing this week, sorry.")
    keys = tuple((thing.split()[-1],) for thing in things)
    s.ask(
        [
            f"What did {a} promise to do?",
            f"List the things that {a} promised.",
            f"Which promises did {a} make?",
        ],
        "aggregation",
        "list",
        Gold(parts=keys),
        spots,
    )
    s.ask(
        [
            "How many people take part in the meeting?",
            "How many speakers are there?",
            "How many different voices can be heard?",
        ],
        "aggregation",
        "speaker_count",
        Gold(number=len(s.names)),
        [],
    )


def _loud(s: _Script) -> None:
    a, b = s.pick(2)
    what, reason, word = s.random.choice(
        [
            (
                "No, not again, this is impossible!",
                "The courier lost the parcel with the prototypes yesterday.",
                "parcel|courier|prototype",
            ),
            (
                "I cannot believe this, really!",
                "The bank has frozen the account without any notice.",
                "bank|account|froze",
            ),
        ]
    )
    spot = s.place(0.3, 0.9)
    s.say(spot - 1, b, reason)
    s.say(spot, a, what, Acoustics(-12.0, 3.4, 240.0, 2.1, 3.0, 0.5, cues=(Cue.LOUD, Cue.RAISED)))
    s.ask(
        [
            "AT:Why did " + a + " suddenly get loud at {clock}?",
            "AT:What made " + a + " raise their voice around {clock}?",
        ],
        "cross_modal",
        "loud_why",
        Gold(parts=((word,),)),
        [spot - 1, spot],
    )
    s.ask(
        ["Who was the loudest?", "Who raised their voice?"],
        "cross_modal",
        "loud_who",
        Gold(parts=((a,),)),
        [spot],
    )
    s.ask(
        ["When is the loudest moment of the meeting?", f"When does {a} get loud?"],
        "cross_modal",
        "loud_when",
        ("when", spot),
        [spot],
    )
    joke = s.place(0.1, 0.9)
    c = s.pick(1)[0]
    s.say(joke, c, "So the goat walked into the server room and unplugged everything.")
    s.events[joke] = "laughter"
    s.ask(
        [
            "What were they laughing about?",
            "What was said just before the laughter?",
            "What made people laugh?",
        ],
        "cross_modal",
        "laughter",
        Gold(parts=(("goat", "server room"),)),
        [joke],
    )
    s.ask(
        ["How many times is there laughter?", "How often did people laugh?"],
        "cross_modal",
        "event_count",
        Gold(number=1),
        [joke],
    )


def _choices(s: _Script) -> None:
    a, b = s.pick(2)
    fruit = s.random.choice(["apricots", "figs", "plums"])
    at = s.say(
        s.place(0.05, 0.95), a, f"For the breakfast basket I would take {fruit}, they keep well."
    )
    options = s.random.sample(
        [f for f in ("apricots", "figs", "plums", "cherries", "melons") if f != fruit], 2
    )
    listed = [*options, fruit]
    s.random.shuffle(listed)
    letters = "ABC"
    shown = " ".join(f"{letter}) {text}" for letter, text in zip(letters, listed, strict=True))
    s.ask(
        [f"What would {a} take for the breakfast basket? {shown} D) It is not said"],
        "explicit",
        "choice",
        Gold(letter=letters[listed.index(fruit)]),
        [at],
    )
    s.ask(
        [f"What would {b} take for the breakfast basket? {shown} D) {b} did not say"],
        "explicit",
        "choice_none",
        Gold(letter="D"),
        [],
    )


_ASKED = {
    "awning": (
        "which colour did we settle on for the awning?",
        "The dark green one, so that it goes with the shutters.",
        "green",
    ),
    "night bus": (
        "from which stop does the night bus leave now?",
        "Since Monday it is the one behind the brewery.",
        "brewery",
    ),
    "choir": (
        "has anybody counted how many chairs the choir needs?",
        "Forty two with the conductor, I went through the list.",
        "forty[- ]two|42",
    ),
}
_PROPOSED = {
    "archive": (
        "I propose that we move the archive down to the cellar.",
        "Not with me, down there the river comes in every spring.",
        "river|spring|against|not with",
    ),
    "beehives": (
        "My proposal is that we put the beehives on the roof.",
        "I would rather not, half of my team cannot stand stings.",
        "sting|rather not",
    ),
    "reception": (
        "I suggest that we close the reception at noon on Fridays.",
        "Then nobody takes the parcels in, so please leave it as it is.",
        "parcel|leave it",
    ),
}


def _replies(s: _Script) -> None:
    """What only the link from a line to its reply tells: the two share no word."""
    subject = s.random.choice(sorted(_ASKED))
    asked, reply, gold = _ASKED[subject]
    a, b = s.pick(2)
    at = s.place(0.05, 0.95)
    s.say(at, a, f"{b}, {asked}")
    s.say(at + 1, b, reply)
    s.ask(
        [
            f"What did {b} answer when {a} asked about the {subject}?",
            f"What answer did {a} get to the question about the {subject}?",
            f"What was {b}'s reply to the question about the {subject}?",
        ],
        "multi_hop",
        "reply",
        Gold(parts=((gold,),)),
        [at, at + 1],
    )
    subject = s.random.choice(sorted(_PROPOSED))
    proposed, reply, gold = _PROPOSED[subject]
    a, b = s.pick(2)
    at = s.place(0.05, 0.95)
    s.say(at, a, proposed)
    s.say(at + 1, b, reply)
    s.ask(
        [
            f"How did {b} react to the proposal about the {subject}?",
            f"What did {b} say to {a}'s proposal about the {subject}?",
            f"What objection did {b} have to the proposal about the {subject}?",
        ],
        "multi_hop",
        "reply",
        Gold(parts=((gold,),)),
        [at, at + 1],
    )
    s.ask(
        [
            f"Who objected to {a}'s proposal about the {subject}?",
            f"Who was against the proposal about the {subject}?",
        ],
        "multi_hop",
        "reply",
        Gold(parts=((b,),)),
        [at, at + 1],
    )


_PLANTS = (
    _explicit,
    _causal,
    _coreference,
    _stance,
    _counting,
    _ordering,
    _relative,
    _promises,
    _loud,
    _choices,
    _replies,
)


def _performed(script: _Script, minutes: int, seed: int) -> Meeting:
    """Fill the gaps with small talk, give everything its time, finish the questions."""
    meeting = Meeting(minutes, seed)
    now, previous = 0.0, ""
    step = minutes * 60 / script.n
    for spot in range(script.n):
        if spot in script.lines:
            name, text, acoustics = script.lines[spot]
        else:
            others = [n for n in script.names if n != previous]
            name, acoustics = script.random.choice(others), None
            text = (
                script.random.choice(_SHORT)
                if script.random.random() < 0.25
                else script.random.choice(_OPENERS).format(s=script.random.choice(SUBJECTS))
                + " "
                + script.random.choice(_BODIES)
            )
        length = min(step * 0.9, 0.6 + 0.33 * len(text.split()))
        calm = Acoustics(
            -24 + script.random.gauss(0, 1.5),
            script.random.gauss(0, 0.5),
            160.0,
            script.random.gauss(0, 0.5),
            2.8,
            script.random.gauss(0, 0.5),
        )
        meeting.utterances.append(
            Utterance(
                spot, round(now, 2), round(now + length, 2), name, text, acoustics=acoustics or calm
            )
        )
        if spot in script.events:
            meeting.events.append(
                Event(now + length + 0.1, now + length + 1.2, script.events[spot])
            )
        previous = name
        now += step
    for ways, category, kind, gold, at in script.pending:
        meeting.questions.append(_finished(meeting, script, (ways, category, kind, gold, at)))
    return meeting


def _finished(
    meeting: Meeting, script: _Script, pending: tuple[list[str], str, str, object, list[int]]
) -> Question:
    ways, category, kind, gold, at = pending
    text = script.random.choice(ways)
    if text.startswith("AT:"):
        text = text[3:].replace("{clock}", _clock(meeting.utterances[at[-1]].start))
    if text.startswith("PAST:"):
        text = text[5:].replace("{clock}", _clock(meeting.minutes * 60 + 1200))
    if isinstance(gold, tuple):
        gold = Gold(seconds=meeting.utterances[gold[1]].start)
    assert isinstance(gold, Gold)
    return Question(text, category, kind, gold, tuple(at))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return (
        f"{minutes}:{rest:02d}"
        if minutes < 60
        else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
    )


def is_right(answer: Answer, question: Question) -> bool:
    """Whether an answer is right, by rule."""
    gold, text = question.gold, answer.text.lower()
    if gold.is_abstention:
        return answer.abstained
    if answer.abstained:
        return False
    if gold.letter:
        return text.strip()[:1].upper() == gold.letter
    if gold.number is not None:
        numbers = [int(n) for n in re.findall(r"\d+", re.sub(r"\d+:\d+", "", text))]
        return gold.number in numbers[:1]
    if gold.seconds is not None:
        named = [_seconds(t) for t in re.findall(r"\d+:\d\d(?::\d\d)?", text)]
        return any(abs(t - gold.seconds) <= 20 for t in named)
    cited = " ".join(c.quote.lower() for s in answer.sentences[:1] for c in s.citations)
    return all(any(re.search(alt.lower(), text) for alt in group) for group in gold.parts) and bool(
        cited or text
    )


def _seconds(clock: str) -> float:
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total
