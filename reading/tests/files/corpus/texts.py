"""Plain texts in the encodings that offices write, and tables as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reading.tests.files.corpus.made import MadeFile

SPANISH = (
    "La señora Núñez pagó la reparación de la bicicleta en el taller de Logroño. El año pasado, los niños pidieron una "
    "revisión de los frenos antes del miércoles, y costó veintidós euros."
)
LANGUAGES: Mapping[str, tuple[str, str]] = {
    "cp1250": (
        "Polish",
        "Wypożyczalnia rowerów przy dworcu głównym jest otwarta codziennie od dziewiątej. Każdy rower ma światła, "
        "zamek i zestaw naprawczy. Proszę zwrócić go przed godziną dwudziestą, żeby uniknąć dopłaty.",
    ),
    "iso8859_2": (
        "Czech",
        "Půjčovna kol u hlavního nádraží je otevřena každý den od devíti hodin. Každé kolo má světla, zámek a sadu "
        "na opravy. Prosíme, vraťte je před dvacátou hodinou, jinak účtujeme příplatek.",
    ),
    "cp1251": (
        "Russian",
        "Прокат велосипедов у главного вокзала открыт каждый день с девяти часов утра. У каждого велосипеда есть фонарь, "
        "замок и набор для ремонта. Просим вернуть его до восьми часов вечера.",
    ),
    "koi8_r": (
        "Russian",
        "Прокат велосипедов у главного вокзала открыт каждый день с девяти часов утра. У каждого велосипеда есть фонарь, "
        "замок и набор для ремонта. Просим вернуть его до восьми часов вечера.",
    ),
    "cp866": (
        "Russian, DOS",
        "Прокат велосипедов у главного вокзала открыт каждый день с девяти часов утра. У каждого велосипеда есть фонарь, "
        "замок и набор для ремонта. Просим вернуть его до восьми часов вечера.",
    ),
    "cp1253": (
        "Greek",
        "Η ενοικίαση ποδηλάτων δίπλα στον κεντρικό σταθμό είναι ανοιχτή κάθε μέρα από τις εννέα. Κάθε ποδήλατο έχει φώτα, "
        "κλειδαριά και εργαλεία επισκευής. Παρακαλούμε επιστρέψτε το πριν τις οκτώ.",
    ),
    "cp1254": (
        "Turkish",
        "Merkez istasyonun yanındaki bisiklet kiralama yeri her gün saat dokuzdan itibaren açıktır. Her bisikletin ışığı, "
        "kilidi ve tamir takımı vardır. Lütfen akşam sekizden önce geri getiriniz, yoksa ek ücret alınır.",
    ),
    "cp1255": (
        "Hebrew",
        "השכרת האופניים ליד התחנה המרכזית פתוחה בכל יום מהשעה תשע בבוקר. לכל אופניים יש פנסים, מנעול וערכת תיקון. "
        "נא להחזיר אותם לפני השעה שמונה בערב.",
    ),
    "shift_jis": (
        "Japanese",
        "駅前の自転車貸し出しは毎日午前九時から開いています。すべての自転車にはライトと鍵と修理道具が付いています。"
        "夜八時までに返してください。遅れた場合は追加料金がかかります。",
    ),
    "euc_jp": (
        "Japanese, Unix",
        "駅前の自転車貸し出しは毎日午前九時から開いています。すべての自転車にはライトと鍵と修理道具が付いています。"
        "夜八時までに返してください。遅れた場合は追加料金がかかります。",
    ),
    "gbk": (
        "Chinese",
        "火车站旁边的自行车出租处每天上午九点开门。每辆自行车都有车灯、车锁和修理工具。请在晚上八点以前归还，否则需要支付额外的费用。",
    ),
    "big5": (
        "Chinese, Taiwan",
        "火車站旁邊的自行車出租處每天上午九點開門。每輛自行車都有車燈、車鎖和修理工具。請在晚上八點以前歸還，否則需要支付額外的費用。",
    ),
    "euc_kr": (
        "Korean",
        "중앙역 옆의 자전거 대여소는 매일 아침 아홉 시부터 문을 엽니다. 모든 자전거에는 전등과 자물쇠와 수리 도구가 있습니다. "
        "저녁 여덟 시 전에 돌려주시기 바랍니다.",
    ),
}
WESTERN = {
    "cp1252": "Windows",
    "cp850": "DOS",
    "latin_1": "ISO 8859-1",
    "mac_roman": "the old Macintosh",
}
UNICODE = {
    "utf_8_sig": "UTF-8 with its mark",
    "utf_16": "UTF-16 with its mark",
    "utf_16_le": "UTF-16 without its mark",
    "utf_16_be": "UTF-16, the other way round",
    "utf_32": "UTF-32 with its mark",
}


def txt(name: str, about: str, content: str | bytes, says: str = "", **more: Any) -> MadeFile:
    written = content if isinstance(content, bytes) else content.encode()
    return MadeFile(f"{name}.txt", about, lambda: written, says or str(content), **more)


def table(
    name: str,
    about: str,
    content: str | bytes,
    says: str,
    *rows: str,
    ending: str = "csv",
    **more: Any,
) -> MadeFile:
    written = content if isinstance(content, bytes) else content.encode()
    return MadeFile(f"{name}.{ending}", about, lambda: written, says, rows=rows, **more)


ROWS = ("Route Coast Climb 180", "Route Ridge Climb 940")
SAYS = "Route Climb Coast 180 Ridge 940"
FILES = (
    *(
        txt(encoding, f"{language} in {encoding}", text.encode(encoding), text, is_of_issue=True)
        for encoding, (language, text) in LANGUAGES.items()
    ),
    *(
        txt(encoding, f"Spanish as {maker} writes it", SPANISH.encode(encoding), SPANISH)
        for encoding, maker in WESTERN.items()
    ),
    *(
        txt(encoding, about, SPANISH.encode(encoding), SPANISH)
        for encoding, about in UNICODE.items()
    ),
    txt(
        "broken-utf-8",
        "UTF-8 with two broken bytes",
        SPANISH.encode() + b"\n\nCaf\xe9 \xff final\n\n" + SPANISH.encode(),
        f"{SPANISH} final {SPANISH}",
    ),
    txt(
        "form-feeds",
        "pages parted by form feeds",
        "First sheet about lamps.\n\fSecond sheet about bells.\n\fThird sheet.",
        "First sheet about lamps. Second sheet about bells. Third sheet.",
    ),
    txt(
        "old-macintosh-lines",
        "lines that end in a carriage return",
        "Opening hours\r\rNine to five.\rClosed on Mondays.",
        "Opening hours Nine to five. Closed on Mondays.",
    ),
    txt(
        "underlined-headings",
        "headings underlined by signs",
        "TIMETABLE\n=========\n\nFirst ferry\n-----------\nLeaves at six.\n\n* * *\n\nEnd.",
        "TIMETABLE First ferry Leaves at six. End.",
    ),
    txt(
        "box-drawing",
        "a table drawn in characters",
        "┌───────┬───────┐\n│ Route │ Climb │\n├───────┼───────┤\n│ Coast │ 180   │\n└───────┴───────┘\n",
        "Route Climb Coast 180",
    ),
    txt(
        "columns",
        "columns of spaces and tabs",
        "Route\tClimb\nCoast\t180\n\nDepot     Town\nNorth     Vic\n",
        "Route Climb Coast 180 Depot Town North Vic",
    ),
    txt("short", "a word", "Closed.\n"),
    txt("numbers", "numbers alone", "4711\n0815\n"),
    txt(
        "log",
        "lines of a log",
        "2026-11-02 08:15:04 ERROR pump[12]: pressure=3.7 bar\n2026-11-02 08:15:09 INFO pump[12]: stopped\n",
    ),
    txt("repeated-lines", "lines that repeat", "Good for one day on every ferry.\n\n" * 3),
    txt(
        "wrapped",
        "paragraphs wrapped at a fixed width, with words parted",
        "The trans-\nmission is oiled twice a month, and every\nwheel is trued before it is rented out.\n",
        "The transmission is oiled twice a month, and every wheel is trued before it is rented out.",
    ),
    # --- CSV
    table(
        "semicolons",
        "semicolons and decimal commas",
        "Route;Climb\nCoast;180,5\nRidge;940,0\n",
        "Route Climb Coast 180 5 Ridge 940 0",
        "Route Coast Climb 180 5",
    ),
    table("tabs", "tabs", "Route\tClimb\nCoast\t180\nRidge\t940\n", SAYS, *ROWS, ending="tsv"),
    table("bars", "bars", "Route|Climb\nCoast|180\nRidge|940\n", SAYS, *ROWS),
    table(
        "quoted-lines",
        "a line's end within quotes",
        'Route,Note,Days\nCoast,"first line\nsecond ""line""",3\nRidge,short,4\n',
        "Route Note Days Coast first line second line 3 Ridge short 4",
        "Route Coast Note first line second line Days 3",
    ),
    table(
        "ragged",
        "rows longer and shorter than the first",
        "Route,Climb\nCoast,180,surplus,more\nRidge\n",
        "Route Climb Coast 180 surplus more Ridge",
    ),
    table(
        "mark",
        "UTF-8 with its mark, as Excel writes it",
        "\ufeffRoute,Climb\nCoast,180\nRidge,940\n",
        SAYS,
        *ROWS,
    ),
    table(
        "same-names",
        "two columns of one name",
        "Price,Price\n11,12\n21,22\n",
        "Price Price 11 12 21 22",
        "Price 11 12",
        "Price 21 22",
    ),
    table(
        "empty-names",
        "columns without a name",
        "Route,,Climb\nCoast,sunny,180\n",
        "Route Climb Coast sunny 180",
        "Route Coast sunny Climb 180",
    ),
    table(
        "title-above",
        "lines above the table",
        "Routes of the season\nExported on Monday\n\nRoute,Climb\nCoast,180\nRidge,940\n",
        f"Routes of the season Exported on Monday {SAYS}",
        *ROWS,
    ),
    table(
        "two-tables",
        "two tables in a file",
        "Route,Climb\nCoast,180\nRidge,940\n\nDepot,Town\nNorth,Vic\nSouth,Reus\n",
        f"{SAYS} Depot Town North Vic South Reus",
        *ROWS,
    ),
    table(
        "separator-line",
        "a first line that names the separator (sep=;)",
        "sep=;\nRoute;Climb\nCoast;180\nRidge;940\n",
        SAYS,
        *ROWS,
    ),
    table(
        "cp1252",
        "the encoding of Excel in Spain",
        "Año;Reparación\n2024;Sillín\n2025;Cadena añadida\n".encode("cp1252"),
        "Año Reparación 2024 Sillín 2025 Cadena añadida",
        "Año 2025 Reparación Cadena añadida",
    ),
    table(
        "utf-16",
        "UTF-16, as Excel calls Unicode text",
        "Route\tClimb\nCoast\t180\nRidge\t940\n".encode("utf-16"),
        SAYS,
        *ROWS,
    ),
    table("one-column", "one column", "Route\nCoast\nRidge\n", "Route Coast Ridge"),
    table(
        "long-field",
        "a field of 200,000 characters",
        "Id,Text\n1," + "kilometre " * 20000 + "\n",
        "Id Text 1 " + "kilometre " * 20000,
    ),
    table("no-header", "figures alone", "11,21\n12,22\n13,23\n", "11 21 12 22 13 23"),
    table(
        "blank-lines",
        "empty lines between rows",
        "Route,Climb\n\nCoast,180\n,,\nRidge,940\n",
        SAYS,
        *ROWS,
    ),
    table(
        "single-quotes",
        "an apostrophe and a quote within words",
        "Shop,Town\nO'Neill's,Vic\n6\" pipe,Reus\n",
        "Shop Town O Neill s Vic 6 pipe Reus",
    ),
    table(
        "old-macintosh",
        "lines that end in a carriage return",
        "Route,Climb\rCoast,180\rRidge,940\r",
        SAYS,
        *ROWS,
    ),
)
