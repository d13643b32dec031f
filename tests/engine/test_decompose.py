import pytest
from fakes import FakeChat

from engine.agent.decompose import Help, decompose, parse
from engine.agent.operations import clean_target, split_items
from engine.agent.rephrase import form_grammar, rephrased
from engine.agent.schema import AnswerForm, Operation, Roster, Scope
from engine.agent.speakers import find_speakers, nearest
from engine.agent.synthesise import Pen
from engine.agent.times import clock, parse_time
from engine.graph.languages import language_of
from engine.progress import silent
from engine.types import Cue

ROLES = Roster({"Project Manager": (1,), "Marketing": (2,), "User Interface": (3,)})
PEOPLE = Roster({"Ann Lee": (1,), "Bob Stone": (2,), "Carol": (3,), "Professor C": (4,)})
HOUSE = Roster(
    {
        "Hon. Navdeep Bains": (1,),
        "Hon. Navdeep Bains (Mississauga, Lib.)": (2,),
        "Right Hon. Justin Trudeau (Prime Minister)": (3,),
        "The Chair": (4,),
    }
)


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("between 3:00 and 5:30", 180, 330),
        ("from minute 5 to minute 10", 300, 600),
        ("between 10 and 20 minutes", 600, 1200),
        ("in the last ten minutes", 3000, 3600),
        ("during the first 90 seconds", 0, 90),
        ("in the second half", 1800, 3600),
        ("in the last quarter", 2700, 3600),
        ("after 20:00", 1200, 3600),
        ("before the 10-minute mark", 0, 600),
        ("at 15:00", 870, 960),
        ("at the 30-minute mark", 1770, 1860),
        ("around minute 25", 1470, 1560),
        ("half an hour into the meeting", 1770, 1860),
        ("at 0:30:00", 1770, 1860),
    ],
)
def test_times_are_read_and_cut_out(phrase, start, end):
    found, rest = parse_time(f"What did Ann say {phrase}?", 3600)
    assert found is not None
    assert (found.start, found.end) == (start, end)
    assert rest.startswith("What did Ann say")
    assert not any(ch.isdigit() for ch in rest)


def test_a_time_past_the_end_is_marked():
    found, _ = parse_time("What was said at 75:00?", 3600)
    assert found is not None
    assert found.is_past_end


@pytest.mark.parametrize(
    "text",
    [
        "Who spent ten years on it?",
        "Is it held in one hand?",
        "How many minutes does Ann speak?",
        "What is in 2 boxes?",
    ],
)
def test_amounts_are_not_places(text):
    assert parse_time(text, 3600)[0] is None


def test_clock_shows_hours_only_when_there_are():
    assert clock(75) == "1:15"
    assert clock(3675) == "1:01:15"


@pytest.mark.parametrize(
    ("question", "roster", "speakers"),
    [
        ("What did Ann say about the price?", PEOPLE, {"Ann Lee"}),
        ("What did Stone think?", PEOPLE, {"Bob Stone"}),
        ("What was said about Ann?", PEOPLE, set()),
        ("Summarize Carol's opinions on tea", PEOPLE, {"Carol"}),
        ("What did C think about it?", PEOPLE, {"Professor C"}),
        ("What did the marketing expert propose?", ROLES, {"Marketing"}),
        ("Summarize the discussion about user interface concept.", ROLES, set()),
        ("What did the Prime Minister say about students?", HOUSE,
         {"Right Hon. Justin Trudeau (Prime Minister)"}),
        ("What did Bains say about loans?", HOUSE,
         {"Hon. Navdeep Bains", "Hon. Navdeep Bains (Mississauga, Lib.)"}),
    ],
)  # fmt: skip
def test_speakers_by_name_role_and_initial(question, roster, speakers):
    assert set(find_speakers(question, roster).speakers) == speakers


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What did Quentin say about tea?", ("Quentin",)),
        ("What did the industrial designer recommend?", ("industrial designer",)),
        ("What did the group say about tea?", ()),
        ("How would the allocation contribute to research?", ()),
        ("What did they decide?", ()),
    ],
)
def test_unknown_speakers(question, unknown):
    assert find_speakers(question, PEOPLE).unknown == unknown


@pytest.mark.parametrize(
    ("question", "operation", "target"),
    [
        ("How many times is the word budget mentioned?", Operation.COUNT_WORD, "budget"),
        ("How often did Ann say 'walrus'?", Operation.COUNT_WORD, "walrus"),
        ("How many mentions of the roof are there?", Operation.COUNT_WORD, "roof"),
        ("How many people spoke about the roof?", Operation.COUNT_SPEAKERS, "roof"),
        ("How many speakers are there?", Operation.COUNT_SPEAKERS, ""),
        ("Who spoke first?", Operation.WHO_FIRST, ""),
        ("Who was the first to mention the roof?", Operation.WHO_FIRST, "roof"),
        ("Who had the last word?", Operation.WHO_LAST, ""),
        ("Who talked the most?", Operation.WHO_MOST, ""),
        ("When was the roof first mentioned?", Operation.WHEN, "roof"),
        ("At what time did the discussion of the roof begin?", Operation.WHEN, "roof"),
        ("What was said right after the market research?", Operation.AFTER, "market research"),
        ("How long did Ann speak?", Operation.TALK_TIME, ""),
        ("How many times did people laugh?", Operation.COUNT_EVENTS, ""),
        ("Who interrupted the most?", Operation.WHO_CUE, ""),
        ("What did Ann say about the roof?", Operation.NONE, ""),
        ("Why was the roof repair postponed?", Operation.NONE, ""),
    ],
)
def test_operations(question, operation, target):
    intent = parse(question, PEOPLE, 3600)
    assert (intent.operation, intent.target) == (operation, target)


def test_orders_have_items():
    intent = parse("What was discussed first, the roof or the summer party?", PEOPLE, 3600)
    assert (intent.operation, intent.target) == (Operation.ORDER, "first")
    assert intent.items == ("roof", "summer party")
    yes_no = parse("Was the roof discussed before the party?", PEOPLE, 3600)
    assert (yes_no.form, yes_no.items) == (AnswerForm.YES_NO, ("roof", "party"))


def test_topic_and_context_are_split():
    intent = parse(
        "What did Carol think of buttons when discussing the functional design?", PEOPLE, 3600
    )
    assert (intent.topic, intent.context) == ("buttons", "the functional design")


def test_choices_cues_scopes():
    intent = parse("What did Ann want? A) tea B) milk C) It was not said", PEOPLE, 3600)
    assert intent.form is AnswerForm.CHOICE
    assert intent.choices == (("A", "tea"), ("B", "milk"), ("C", "It was not said"))
    loud = parse("Why did Ann suddenly get loud at 15:00?", PEOPLE, 3600)
    assert loud.cues == (Cue.LOUD,)
    assert loud.operation is Operation.CUE_MOMENT
    assert loud.is_why
    assert parse("Summarize the whole meeting.", PEOPLE, 3600).scope is Scope.MEETING
    assert parse("What did Ann contribute?", PEOPLE, 3600).scope is Scope.SPEAKER


def test_small_helpers():
    assert clean_target("the word 'budget' in the meeting?") == "budget"
    assert split_items("tea, milk and the roof") == ("tea", "milk", "roof")
    assert language_of("Co řekla Anna o rozpočtu?") == "cs"
    assert language_of("What did Anna say?") == "en"
    assert language_of("Ich spreche mit den Eltern. Sie wollen beim Verteilen helfen.") == "de"
    assert language_of("I am by the door, do go on to it.") == "en"
    assert language_of("我们讨论了预算。") == "zh"
    assert language_of("予算について話しました。") == "ja"


def test_other_languages_are_searched_in_english_too():
    intent = decompose(
        "Co řekla Ann o střeše?",
        PEOPLE,
        60,
        model=Help(translate=lambda *_: "What did Ann say about the roof?"),
    )
    assert intent.language == "cs"
    assert intent.speakers == ("Ann Lee",)
    assert "Co řekla Ann o střeše?" in intent.queries
    assert intent.question == "Co řekla Ann o střeše?"


def test_follow_ups_are_completed_from_the_chat():
    asked = []
    history = (("What did Ann say about tea?", "She likes it."),)
    intent = decompose(
        "And what did Bob say about it?",
        PEOPLE,
        60,
        history,
        Help(complete=lambda q, h: asked.append(h) or "What did Bob say about tea?"),
    )
    assert asked == [history]
    assert (intent.topic, intent.speakers) == ("tea", ("Bob Stone",))


@pytest.mark.parametrize(
    ("question", "form", "operation", "target", "items"),
    [
        ("I wonder how often tea is brought up.", "How many times was tea mentioned?",
         Operation.COUNT_WORD, "tea", ()),
        ("Was the roof dealt with sooner than the tea?", "Did roof come before tea?",
         Operation.ORDER, "before", ("roof", "tea")),
        ("Whose idea was the flat roof?", "Who first mentioned flat roof?",
         Operation.WHO_FIRST, "flat roof", ()),
        ("Once the tea was served, what was the topic?", "What was said right after tea?",
         Operation.AFTER, "tea", ()),
    ],
)  # fmt: skip
def test_a_question_no_rule_reads_is_rephrased(question, form, operation, target, items):
    chat = FakeChat(form)
    helped = Help(rephrase=lambda text, names: rephrased(text, names, Pen(chat, silent())))
    assert parse(question, PEOPLE, 60).operation is Operation.NONE
    intent = decompose(question, PEOPLE, 60, model=helped)
    assert (intent.operation, intent.target, intent.items) == (operation, target, items)
    assert intent.question == question


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("What is the most expensive item?", "Who spoke the most?"),
        ("Who is most worried about the price?", "Who spoke the most?"),
        ("What did Ann say in the final round?", "What was said right after Ann?"),
        ("Before the meeting, what did the teachers ask?", "Who first mentioned teachers?"),
        ("How often should the batteries be changed?", "other"),
        ("How often should the batteries be changed?", "How many times was batteries mentioned?"),
        ("How many times a day does it send data?", "How many times was data mentioned?"),
        ("Who is most worried about privacy?", "Who mentioned privacy most often?"),
        ("Which school was first to report cracks?", "Which came first: cracks or school?"),
    ],
)
def test_a_form_that_does_not_fit_is_refused(question, form):
    assert rephrased(question, (), Pen(FakeChat(form), silent())) == ""


def test_who_does_something_is_not_what_is_spoken_of():
    question, form = "Whose proposal on the benches does Ann like?", "Who first mentioned {}?"
    for filled, is_taken in (("Ann", False), ("benches", True)):
        chat = FakeChat(form.format(filled))
        assert bool(rephrased(question, ("Ann Lee",), Pen(chat, silent()))) is is_taken


def test_a_form_holds_only_words_of_the_question():
    asked = form_grammar('Was "the roof" first?', ["Ann"])
    assert "x ::= w0 | w1 | w2 | w3" in asked
    assert 'w1 ::= "the" (" " w2)?' in asked
    assert asked.splitlines()[-1] == 'name ::= ("Ann")'
    assert "NAME" not in form_grammar("Who was first?", [])


def test_only_structural_questions_cost_a_call_of_the_model():
    def fail(*_):
        raise AssertionError("asked the model")

    for question in ("Why was the roof rejected?", "How many people spoke?", "What costs 5 euros?"):
        decompose(question, PEOPLE, 60, model=Help(rephrase=fail))


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [("in the final minute", 3540, 3600), ("in the very last minute", 3540, 3600),
     ("during the first minute", 0, 60), ("in the last hour", 0, 3600)],
)  # fmt: skip
def test_a_unit_may_stand_without_its_number(phrase, start, end):
    found, rest = parse_time(f"What did Ann say {phrase}?", 3600)
    assert (found.start, found.end, rest) == (start, end, "What did Ann say?")


def test_places_of_sounds_are_asked_with_where_too():
    assert parse("Where was the longest silence?", PEOPLE, 60).operation is Operation.WHEN_EVENT
    assert parse("Did two people talk at once?", PEOPLE, 60).cues == (Cue.OVERLAP,)


@pytest.mark.parametrize(
    "question",
    [
        "What were they laughing about?",
        "What did everyone laugh at?",
        "Why did the others laugh so loudly?",
        "What made people laugh?",
        "What was said just before the applause?",
        "Why was there laughter?",
        "What was so funny?",
    ],
)
def test_what_made_people_laugh_is_what_was_said_before(question):
    assert parse(question, PEOPLE, 60).operation is Operation.BEFORE_EVENT


@pytest.mark.parametrize(
    "question",
    [
        "What did Ann say about the laughter?",
        "Why did they laugh about the roof repair?",
        "What did Ann think of the music?",
        "Why did Ann say that the music was too loud?",
    ],
)
def test_a_sound_with_a_matter_beside_it_is_searched_for(question):
    assert parse(question, PEOPLE, 60).operation is not Operation.BEFORE_EVENT


@pytest.mark.parametrize(
    ("question", "operation", "items"),
    [
        ("What numbers were mentioned?", Operation.NAMED, ("number", "money")),
        ("Which dates did Ann name?", Operation.NAMED, ("date",)),
        ("List all the people mentioned by Carol.", Operation.NAMED, ("name", "speaker")),
        ("What prices were discussed?", Operation.NAMED, ("money",)),
        ("Who asked the most questions?", Operation.QUESTIONS, ("most",)),
        ("Which speaker asked the fewest questions?", Operation.QUESTIONS, ("least",)),
        ("How many questions did Ann ask?", Operation.QUESTIONS, ()),
        ("What questions were asked by Carol?", Operation.QUESTIONS, ()),
        ("Which exact numbers were named?", Operation.NAMED, ("number", "money")),
        ("List all the questions that Ann asked.", Operation.QUESTIONS, ()),
        ("What roof prices were discussed?", Operation.NONE, ()),
        ("Which dates were mentioned for the launch?", Operation.NONE, ()),
        ("What names did Ann suggest for the roof?", Operation.NONE, ()),
        ("What questions did Ann ask about the roof?", Operation.NONE, ()),
        ("Which people mentioned the roof?", Operation.WHO_MENTIONED, ()),
    ],
)
def test_lists_of_what_was_named_and_asked(question, operation, items):
    found = parse(question, PEOPLE, 60)
    assert (found.operation, found.items) == (operation, items)


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("How many people agreed with Ann?", Operation.NONE),
        ("How many people are in the meeting?", Operation.COUNT_SPEAKERS),
        ("How many people were present?", Operation.COUNT_SPEAKERS),
        ("How many different voices can be heard?", Operation.COUNT_SPEAKERS),
        ("How many people take part in the meeting?", Operation.COUNT_SPEAKERS),
        ("How many turns did ann take?", Operation.COUNT_TURNS),
        ("How many statements were about the roof?", Operation.NONE),
        ("Who talked the most in this conversation?", Operation.WHO_MOST),
        ("Who was most active on the roof?", Operation.NONE),
        ("How did the meeting end?", Operation.EDGE),
        ("What was the last thing said?", Operation.EDGE),
        ("Who talked the most about the roof?", Operation.WHO_MOST),
        ("Who spoke first about the roof?", Operation.WHO_FIRST),
        ("Who started the discussion about the roof?", Operation.WHO_FIRST),
        ("Who spoke last on the roof?", Operation.WHO_LAST),
        ("How did the meeting end up so long?", Operation.NONE),
        ("How long did they talk about the roof?", Operation.TOPIC_TIME),
        ("How many minutes were spent on the roof?", Operation.TOPIC_TIME),
        ("How many minutes were spent speaking by Ann?", Operation.NONE),
        ("How long was the roof discussed?", Operation.TOPIC_TIME),
        ("How long did Ann speak?", Operation.TALK_TIME),
    ],
)
def test_a_computed_answer_is_to_the_whole_question(question, operation):
    assert parse(question, PEOPLE, 60).operation is operation


def test_why_may_stand_behind_the_sound():
    found = parse("At 0:30 someone gets loud. Why?", PEOPLE, 60)
    assert (found.operation, found.is_why) == (Operation.CUE_MOMENT, True)


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Give me all action items.", Scope.MEETING),
        ("List the decisions", Scope.MEETING),
        ("What are the next steps?", Scope.MEETING),
        ("What do they think of the tasks?", Scope.SPECIFIC),
        ("Which decisions were made about the roof?", Scope.SPECIFIC),
    ],
)
def test_lists_of_promises_and_decisions_are_of_the_whole_meeting(question, scope):
    assert parse(question, PEOPLE, 60).scope is scope


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("Did two people talk at once, and when?", Operation.COUNT_CUE),
        ("Was anyone interrupted?", Operation.COUNT_CUE),
        ("Did they agree to rush the release?", Operation.NONE),
        ("Did Ann shout?", Operation.NONE),
    ],
)
def test_whether_something_sounded_so_at_all_is_counted(question, operation):
    assert parse(question, PEOPLE, 60).operation is operation


def test_a_name_in_another_language_is_found():
    people = Roster({"Peter": (1,), "Martha": (2,)})
    model = Help(translate=lambda *_: "Why did Petr say it?")
    assert decompose("Proč to řekl Petr?", people, 60, model=model).speakers == ("Peter",)
    # In the language of the meeting it may be somebody else, and is only hinted at.
    assert decompose("Why did Petr say it?", people, 60).unknown_speakers == ("Petr",)
    assert nearest("Petr", people) == "Peter"
    assert nearest("Pedro Almodovar", people) == ""
    assert nearest("Ann", Roster({"Anna": (1,), "Anne": (2,)})) == ""


def test_who_speaks_after_a_loud_voice_is_no_question_for_the_loudest():
    assert parse("Who spoke after Ann shouted?", PEOPLE, 60).operation is not Operation.WHO_CUE


@pytest.mark.parametrize(
    "question",
    [
        "Whose proposal on the benches is Ann in favour of?",
        "Whose idea about benches did Ann back?",
    ],
)
def test_whose_idea_it_was_is_about_the_matter(question):
    assert parse(question, PEOPLE, 60).terms == ("benches",)
