"""Tokens, folding, stems, and how much a word says."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Literal

import Stemmer
from wordfreq import top_n_list, zipf_frequency

from language import word_lists

Language = Literal["es", "en"]
LANGUAGES: tuple[Language, ...] = ("es", "en")

# Stems and frequencies are pure functions: a cache makes indexing 20 times faster
WORDS_REMEMBERED = 65_536
ALL_WORDS = 100_000  # more than are in the list
FUNCTION_WORDS = 90  # the most frequent words of a language carry no topic
# Zipf frequency is log10 of occurrences in a billion words: 7 = "the", 3 = once in a million, 0 =
# unknown.
COMMONEST_ZIPF = 7.0
FAR_COMMONER_ZIPF = 0.6  # four times
COMMONER_ZIPF = 0.3  # twice
WORD = re.compile(r"\w+")
# Words that only ask: a passage that holds them is no likelier to answer. Folded.
INTERROGATIVES = {
    language: word_lists.words("words.interrogatives", language) for language in LANGUAGES
}
# Of a verb's forms and plurals, folded, as people ask and as texts tell.
INFLECTED = {language: word_lists.words("words.endings", language) for language in LANGUAGES}
INFINITIVES: dict[Language, tuple[str, ...]] = {"es": ("ar", "er", "ir"), "en": ("",)}
PLURALS = ("s", "es")
STEM_CHANGES = (("ue", "o"), ("ie", "e"), ("qu", "c"), ("gu", "g"), ("zc", "c"))
ROOT_MIN_CHARS = 3  # shorter ones are shared by accident: «paras», «parir»
DIGIT = re.compile(r"\d")
# VP-2159, 3.4, 25/2: a code or number with separators is one word too, beside its parts. Looked for
# at the beginning of a word only (\b): from each letter on, a text without spaces took minutes.
CODE = re.compile(r"\b(?:(?=\w*\d)\w+(?:[-./,]\w+)+|\w+(?:[-./,]\w*\d\w*)+)")

SNOWBALL_NAMES: dict[Language, str] = {"es": "spanish", "en": "english"}


# What Spanish and English need; everything else takes the slower way.
ACCENTS = str.maketrans("áéíóúüàèìòùâêîôûäëïöç", "aeiouuaeiouaeiouaeioc")


def fold(text: str) -> str:
    """Lower case without accents, but with ñ: «año» and «ano» are different words."""
    plain = text.lower().translate(ACCENTS)
    if plain.replace("ñ", "").isascii():
        return plain
    kept = plain.replace("ñ", "\0")
    bare = "".join(
        char for char in unicodedata.normalize("NFKD", kept) if not unicodedata.combining(char)
    )
    return bare.replace("\0", "ñ")


def tokenize(text: str) -> list[str]:
    """Folded words in order; a code ("VP-2159") gives its parts and, once more, the whole without
    separators."""
    return split_words(fold(text))


def split_words(folded: str) -> list[str]:
    """The words of a folded text, as `tokenize` has them."""
    codes = []
    if DIGIT.search(folded):  # each code holds one; most texts do not
        codes = [re.sub(r"\W", "", code) for code in CODE.findall(folded)]
    return [*WORD.findall(folded), *codes]


@lru_cache(WORDS_REMEMBERED)
def stem(word: str, language: Language) -> str:
    """Snowball stem of a folded word. A stemmer holds the word that it works on, so that threads
    need their own; it remembers none, as this function does.

    No ending that it takes off ends in a digit: half of a price list's words are looked at no
    further.
    """
    if word[-1:].isdigit():
        return word
    return str(Stemmer.Stemmer(SNOWBALL_NAMES[language], 0).stemWord(word))


@lru_cache(2)
def function_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word) for word in top_n_list(language, FUNCTION_WORDS))


@lru_cache(WORDS_REMEMBERED)
def zipf(word: str, language: Language) -> float:
    """How common a word is, 0 to 8. The small list is enough (words above one in a million) and
    takes 7 MB, not 76."""
    return float(zipf_frequency(word, language, wordlist="small"))


def rarity(word: str, language: Language) -> float:
    """How seldom this very form is used: 0 for the commonest, 7 for one that is in no list. Names
    are told by it, which are forms of nothing."""
    return max(0.0, COMMONEST_ZIPF - zipf(word, language))


@lru_cache(WORDS_REMEMBERED)
def information(word: str, language: Language) -> float:
    """How much it says that a text holds this word: 0 for the commonest, 7 for one that is in no
    list. A rare form says no more than the word that it is one of («alquiláis», «alquilar»), and
    what stands without its accents no more than with them."""
    forms = (word, *basic_forms(fold(word), language))
    return max(0.0, COMMONEST_ZIPF - max(typed_zipf(form, language) for form in forms))


def basic_forms(word: str, language: Language) -> set[str]:
    """The singulars or infinitives of which a folded word may be a form, if they are known
    words."""
    return {
        basic
        for ending in INFLECTED[language]
        if word.endswith(ending)
        for root in roots(word.removesuffix(ending), language)
        for basic in (
            *(root + end for end in INFINITIVES[language]),
            *((root,) if ending in PLURALS else ()),
        )
        if len(root) >= ROOT_MIN_CHARS and zipf(basic, language)
    }


def roots(root: str, language: Language) -> tuple[str, ...]:
    """«devuelv» is of «devolver», «cierr» of «cerrar»; of "cancell" one letter may be too many."""
    if language == "en":
        return (root, root[:-1]) if root[-2:-1] == root[-1:] else (root,)
    return tuple({root, *(root.replace(*change) for change in STEM_CHANGES)})


@cache
def _accented_words(language: Language) -> dict[str, tuple[str, ...]]:
    """Words with accents, commonest first, by what they are without them."""
    found: dict[str, list[str]] = {}
    for word in top_n_list(language, ALL_WORDS, wordlist="small"):
        folded = fold(word)
        if folded != word:
            found.setdefault(folded, []).append(word)
    return {folded: tuple(words) for folded, words in found.items()}


def with_accents(word: str, language: Language) -> str:
    """The word that somebody who types no accents means, where that is far commoner than the word
    as it stands: «sabado» is «sábado»; «esta» stays, and «envio», which is «envío» or «envió»."""
    accented = _accented_words(language).get(word, ())
    if not accented:
        return word
    rivals = [zipf(word, language) + FAR_COMMONER_ZIPF]
    rivals += [zipf(other, language) + COMMONER_ZIPF for other in accented[1:2]]
    return accented[0] if zipf(accented[0], language) >= max(rivals) else word


def typed_zipf(word: str, language: Language) -> float:
    """How common a word is that was perhaps typed without its accents."""
    accented = _accented_words(language).get(word, ())
    return max(zipf(form, language) for form in (word, *accented[:1]))
