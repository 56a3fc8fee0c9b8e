"""Texts of 8 bits in the encodings that programs of each country write."""

import pytest

from reading.extractors.html.source import decode_html
from reading.extractors.text.encoding import decode

WARRANTIES = {
    "Spanish": "La garantía cubre las piezas y la reparación durante dos años. ¿Y después? Mañana.",
    "English": "It’s a naïve claim – “the best in town” – but the café charges £5 or €6 for it.",
    "French": "Le délai légal est dépassé : où sont passés les colis égarés de l’été dernier ?",
    "German": "Die Öffnungszeiten ändern sich im Frühling. Größere Aufträge künftig schriftlich.",
    "Polish": "Gwarancja obejmuje części i robociznę przez okres dwóch lat, jeśli wpłynęła.",
    "Czech": "Záruční doba činí dva roky a vztahuje se na všechny součásti výrobku, které měníme.",
    "Hungarian": "A jótállás időtartama két év, és minden alkatrészre kiterjed. Őrizze meg!",
    "Russian": "Гарантия распространяется на все детали изделия в течение двух лет со дня покупки.",
    "Ukrainian": "Гарантія поширюється на всі деталі виробу протягом двох років із дня купівлі.",
    "Greek": "Η εγγύηση καλύπτει όλα τα εξαρτήματα του προϊόντος για δύο χρόνια από την αγορά.",
    "Turkish": "Garanti süresi iki yıldır ve ürünün bütün parçalarını kapsar. Şube kapalı.",
    "Hebrew": "האחריות חלה על כל חלקי המוצר למשך שנתיים מיום הקנייה, אם לא נעשה בו שימוש אסור.",
    "Arabic": "يشمل الضمان جميع أجزاء المنتج لمدة عامين من تاريخ الشراء، إذا لم يستخدم خطأ.",
    "Japanese": "保証期間は購入日から二年間で、製品のすべての部品が対象となります。返品できます。",
    "Chinese": "保修期为两年，涵盖产品的所有部件。顾客可以在三十天内退回未使用的商品。",
    "Taiwanese": "保固期為兩年，涵蓋產品的所有零件。顧客可以在三十天內退回未使用的商品。",
    "Korean": "보증 기간은 이 년이며 제품의 모든 부품에 적용됩니다. 반품할 수 있습니다.",
    "Thai": "การรับประกันครอบคลุมชิ้นส่วนทั้งหมดของผลิตภัณฑ์เป็นเวลาสองปีนับจากวันที่ซื้อสินค้า",
}
ENCODINGS = {
    "Spanish": ("cp1252", "iso8859-15", "cp850", "mac-roman"),
    "English": ("cp1252",),
    "French": ("cp1252", "cp850"),
    "German": ("cp1252", "cp850", "mac-roman"),
    "Polish": ("cp1250", "iso8859-2", "cp852"),
    "Czech": ("cp1250", "iso8859-2", "cp852"),
    "Hungarian": ("cp1250", "iso8859-2"),
    "Russian": ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic"),
    "Ukrainian": ("cp1251", "koi8-u"),
    "Greek": ("cp1253", "iso8859-7"),
    "Turkish": ("cp1254", "iso8859-9"),
    "Hebrew": ("cp1255", "iso8859-8"),
    "Arabic": ("cp1256", "iso8859-6"),
    "Japanese": ("shift_jis", "euc_jp", "iso2022_jp"),
    "Chinese": ("gbk", "gb18030"),
    "Taiwanese": ("big5",),
    "Korean": ("euc_kr", "cp949"),
    "Thai": ("cp874",),
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, encoding) for language, encodings in ENCODINGS.items() for encoding in encodings],
)
@pytest.mark.parametrize("times", [1, 60])
def test_text_is_read_in_the_encoding_it_was_written_in(language: str, encoding: str, times: int):
    text = "\n".join([WARRANTIES[language]] * times).encode(encoding, "ignore").decode(encoding)
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "line",
    [
        "año",
        "Teléfono: 960 555 014",
        "### ¿Hace falta cita?",
        "Espresso machine Traíña Dual,machine,1290.00,3,1",
        "Cuesta 5 € – «barato», dijo…",
        "¿Qué formas de pago aceptáis?",
        "It’s £5.",
        "n.º 5, 2.ª planta",
        "Façana;5 €\nàrea;2",
    ],
)
def test_a_few_accents_of_spanish_and_english_are_enough(line: str):
    assert decode(line.encode("cp1252", "replace")) == line


def test_a_late_accent_counts_as_an_early_one():
    text = "Nothing but plain words on this line.\n" * 20_000 + "Гарантия: два года, и не больше.\n"
    assert decode(text.encode("cp1251")) == text


@pytest.mark.parametrize(
    ("language", "encoding"),
    [("Spanish", "utf-8"), ("Spanish", "cp1252"), ("Russian", "cp1251"), ("Japanese", "cp932")],
)
def test_broken_bytes_cost_only_themselves(language: str, encoding: str):
    text = WARRANTIES[language] * 30
    assert decode(text.encode(encoding) + b"\xff\xff").startswith(text)


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("shift_jis", "cp932", "保証①"),
        ("gb2312", "gb18030", "保修期䶮"),
        ("euc-kr", "cp949", "보증 똠방"),
        ("iso-8859-9", "cp1254", "süresi “iki”"),
        ("ibm866", "cp866", "Гарантия"),
        ("windows-1251", "cp1251", "Да"),
    ],
)
def test_declared_encoding_of_a_page_is_taken_as_browsers_take_it(
    label: str, encoding: str, text: str
):
    page = f'<meta charset="{label}"><p>{text}'
    assert decode_html(page.encode(encoding)) == page


def test_two_broken_bytes_in_a_short_text_leave_it_utf8():
    text = (
        b"La se\xc3\xb1ora N\xc3\xba\xffez pag\xc3\xb3 la reparaci\xc3\xb3n en Logro\xc3\xb1o\xfe."
    )
    assert decode(text) == "La señora Nú\ufffdez pagó la reparación en Logroño\ufffd."


def test_page_that_declares_nothing_is_looked_at():
    page = f"<p>{WARRANTIES['Polish']}"
    assert decode_html(page.encode("cp1250")) == page


def test_page_that_declares_latin_and_is_utf8_is_utf8():
    page = "<meta charset=iso-8859-1><p>Garantía"
    assert decode_html(page.encode()) == page
