"""Tokens, folding, stems, and how much a word says."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

import snowballstemmer
from wordfreq import top_n_list, zipf_frequency

Language = Literal["es", "en"]

# Stems and frequencies are pure functions: a cache makes indexing 20 times faster
WORDS_REMEMBERED = 65_536
FUNCTION_WORDS = 90  # the most frequent words of a language carry no topic
# Words that only ask: a passage that holds them is no likelier to answer. Folded.
# fmt: off
INTERROGATIVES: dict[Language, frozenset[str]] = {
    "es": frozenset({
        "que", "cual", "cuales", "quien", "quienes", "donde", "adonde", "cuando", "cuanto",
        "cuanta", "cuantos", "cuantas", "como", "porque",
    }),
    "en": frozenset({
        "what", "which", "who", "whom", "whose", "where", "when", "why", "how", "many", "much",
        "did", "does", "do",
    }),
}
# fmt: on
# Zipf frequency is log10 of occurrences in a billion words: 7 = "the", 3 = once in a million, 0 =
# unknown.
COMMONEST_ZIPF = 7.0

WORD = re.compile(r"\w+")
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
    folded = fold(text)
    codes = []
    if DIGIT.search(folded):  # each code holds one; most texts do not
        codes = [re.sub(r"\W", "", code) for code in CODE.findall(folded)]
    return [*WORD.findall(folded), *codes]


@lru_cache(WORDS_REMEMBERED)
def stem(word: str, language: Language) -> str:
    """Snowball stem of a folded word. A stemmer holds the word that it works on, so that threads
    need their own; to make one takes a fortieth of the time that it works."""
    return str(snowballstemmer.stemmer(SNOWBALL_NAMES[language]).stemWord(word))


@lru_cache(2)
def function_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word) for word in top_n_list(language, FUNCTION_WORDS))


@lru_cache(WORDS_REMEMBERED)
def zipf(word: str, language: Language) -> float:
    """How common a word is, 0 to 8. The small list is enough (words above one in a million) and
    takes 7 MB, not 76."""
    return float(zipf_frequency(word, language, wordlist="small"))


def information(word: str, language: Language) -> float:
    """How much it says that a text holds this word: 0 for the commonest, 7 for one that is in no
    list."""
    return max(0.0, COMMONEST_ZIPF - zipf(word, language))
