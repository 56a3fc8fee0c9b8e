"""The control words of RTF that matter to a reader of its text (Rich Text Format 1.9.1)."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CHARSETS = {  # \fcharset → Python's name of its code page
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk",
    136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
SYMBOL_CHARSET = 2
FONT_NAMES = {  # their last word → code page
    "CE": "cp1250", "Cyr": "cp1251", "Greek": "cp1253", "Tur": "cp1254", "(Hebrew)": "cp1255",
    "(Arabic)": "cp1256", "Baltic": "cp1257", "(Vietnamese)": "cp1258",
}  # fmt: skip
CODE_PAGES = {10000: "mac_roman", 65001: "utf-8", 1361: "johab", 10007: "mac_cyrillic"}
DOCUMENT_CHARSETS = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
DEFAULT_ENCODING = "cp1252"

# Words that stand for a character.
CHARACTERS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "emspace": " ",
    "enspace": " ", "qmspace": " ", "bullet": "•", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
SYMBOLS = {"~": " ", "_": "-", "\t": "\t", "\\": "\\", "{": "{", "}": "}"}
# The font "Symbol", whose letters are Greek.
GREEK = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz£¥°±³´¹»·",
    "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ≤∞°±≥×≠≈•",
)

# Groups whose text is none of the document's. Those marked with \* are left out but for WANTED.
UNWANTED = words(
    "pict colortbl info filetbl listtable listoverridetable revtbl rsidtbl themedata"
    " colorschememapping datastore latentstyles fldinst objclass objdata objname atrfstart atrfend"
    " atnid atnauthor atntime atndate atnref atnparent atnicn xe tc tcn rxe bkmkstart bkmkend"
    " template nonshppict shprslt nonesttables sp fontemb fontfile falt panose ftnsep ftnsepc ftncn"
    " aftnsep aftnsepc aftncn private txe formfield ffname ffdeftext ffformat background userprops"
    " xmlnstbl generator"
)
WANTED = words(
    "shpinst shptxt do dptxbxtext nesttableprops ud annotation footnote pnseclvl moMath moMathPara"
    " mmath mr oMath oMathPara fonttbl stylesheet upr listtext pntext sn sv header headerl headerr"
    " headerf footer footerl footerr footerf"
)
HEADERS = frozenset({"header", "headerl", "headerr", "headerf"})
FOOTERS = frozenset({"footer", "footerl", "footerr", "footerf"})
BESIDES = frozenset({"footnote", "annotation", "shptxt", "dptxbxtext"})
REVIVING = frozenset({"sn", "sv", "ud"})  # stand in what is unwanted, and are wanted

OF_CHARACTERS = frozenset({"u", "uc", "f", "b", "v", "deleted", "strike", "striked", "plain"})
OF_PARAGRAPHS = frozenset(
    {"par", "sect", "page", "column", "pard", "s", "outlinelevel", "intbl", "listtext", "pntext"}
)
OF_TABLES = frozenset({"trowd", "trhdr", "clvmrg", "cellx", "cell", "row", "nestcell", "nestrow"})
OF_FILES = words("ansi mac pc pca ansicpg deff fonttbl fcharset cpg stylesheet upr ud sn sv")
