from engine.speech.language import LanguageMap


def probes(languages: list[str], asked: list[int]):
    def probe(i: int) -> dict[str, float]:
        asked.append(i)
        return {languages[i]: 0.95, "xx": 0.05}

    return probe


def test_one_language_is_asked_a_few_times_only():
    asked: list[int] = []
    found = LanguageMap([25.0] * 100, probes(["en"] * 100, asked))
    assert found.dominant == "en"
    assert {found.expected(i) for i in range(100)} == {"en"}
    assert len(asked) <= 8


def test_two_languages_are_told_apart_window_by_window():
    """C2: each stretch in its own language."""
    languages = ["en"] * 60 + ["de"] * 40
    found = LanguageMap([25.0] * 100, probes(languages, []))
    assert found.dominant == "en"
    assert [found.expected(i) for i in range(100)] == languages


def test_a_doubtful_window_is_asked():
    languages = ["en"] * 100
    languages[7] = "fr"
    found = LanguageMap([25.0] * 100, probes(languages, []))
    assert found.expected(7) == "en"
    assert found.doubted(7) == "fr"
    assert found.is_mixed


def test_an_unsure_window_keeps_the_dominant_language():
    def probe(i: int) -> dict[str, float]:
        return {"en": 0.9} if i else {"nn": 0.5, "en": 0.4}

    assert LanguageMap([25.0] * 3, probe).expected(0) == "en"


def test_a_recogniser_that_cannot_tell():
    assert LanguageMap([25.0], lambda i: {}).dominant == ""
