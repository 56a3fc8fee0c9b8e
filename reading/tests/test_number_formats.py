"""Numbers as a spreadsheet shows them, by the codes of their formats (ECMA-376 part 1, 18.8.31)."""

import pytest

from reading.extractors.office.format_codes import read_format
from reading.extractors.office.number_formats import shown_number, shown_string

MARCH_2027 = 46_447.0  # 1 March 2027
AT_HALF_PAST_NINE = 46_447.395833333336


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("General", 12.3456, "12.3456"),
        ('General" kg"', 12.5, "12.5 kg"),
        ("0.00", 2.4968, "2.5"),
        ("0.00", 12.34567, "12.35"),
        ("0", 899.5, "900"),
        ("0", 2.5, "3"),
        ("0", -0.2, "0"),
        ("#,##0.0", 1_234.56, "1234.6"),
        ("# ##0", 1_234_567, "1234567"),
        ("0.00", 1.005, "1.01"),
        ("0.00E+00", 123_456, "123456"),
        ("# ?/?", 0.5, "0.5"),
        ("@", 12.5, "12.5"),
        ("0.00", 1e20, "1" + "0" * 20),
        ("0" * 400, 7, "7"),
    ],
)
def test_decimals_that_the_sheet_does_not_show_are_rounded(code: str, number: float, shown: str):
    assert shown_number(number, read_format(code)) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("0%", 0.333333, "33%"),
        ("0.0 %", 0.1234, "12.3%"),
        ('0%" off"', 0.15, "15% off"),
        ('"up to "0%', 0.4, "up to 40%"),
        ('#,##0.00 "€"', 12.5, "12.5 €"),
        ("[$€-2] #,##0.00", 12.5, "12.5 €"),
        ("#,##0.00\\ [$€-C0A]", 12.499, "12.5 €"),
        ("[$$-409]#,##0.00", 12.5, "$12.5"),
        ("[$USD] 0", 12.5, "13 USD"),
        ('"CHF "0.00', 12.5, "CHF 12.5"),
        ('0.00 "€/kg"', 3.2, "3.2 €/kg"),
        ('0.00 €"/night"', 80, "80 €/night"),
        ('"from "0.00 €', 12, "from 12 €"),
        ('"desde "0', 45, "desde 45"),
        ('0"+"', 18, "18+"),
        ('"Nr. "000', 7, "Nr. 007"),
        ('0.0,,"M"', 1_500_000, "1.5M"),
        ('0," mil"', 250_000, "250 mil"),
        ("0,", 250_000, "250"),
        ('0"/2026"', 7, "7/2026"),
    ],
)
def test_texts_around_a_number_are_read_with_it(code: str, number: float, shown: str):
    assert shown_number(number, read_format(code)) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("00000", 8_001, "08001"),
        ("00000", 8_001.5, "08002"),
        ("000 000 000", 600_123_456, "600 123 456"),
        ("000\\ 00\\ 00\\ 00", 912_345_678, "912 34 56 78"),
        ("+34 000 000 000", 600_123_456, "+34 600 123 456"),
        ("(000) 000-0000", 5_551_234_567, "(555) 123-4567"),
        ("[<=9999999]###-####;(###) ###-####", 5_551_234, "555-1234"),
        ("[<=9999999]###-####;(###) ###-####", 2_025_551_234, "(202) 555-1234"),
        ("00000-0000", 123_456_789, "12345-6789"),
        ('00"."000"."000-"X"', 12_345_678, "12.345.678-X"),
        ('00":"00', 930, "09:30"),
    ],
)
def test_masks_of_phones_and_codes_are_filled(code: str, number: float, shown: str):
    assert shown_number(number, read_format(code)) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ('0;-0;"none"', 0, "none"),
        ('0;-0;"none"', -3, "-3"),
        ('0.00 €;-0.00 €;"free of charge"', 0, "free of charge"),
        ('"free of charge"', 0, "free of charge"),
        ('[=0]"gratis";0.00 €', 0, "gratis"),
        ('[=0]"gratis";0.00 €', 7, "7 €"),
        ('[=1]0" día";0" días"', 1, "1 día"),
        ('[=1]0" día";0" días"', 3, "3 días"),
        ('[<1]0%;[>=1000]0.0," km";0" m"', 1_500, "1.5 km"),
        ('[<1]0%;[>=1000]0.0," km";0" m"', 0.5, "50%"),
        ('[<1]0%;[>=1000]0.0," km";0" m"', 20, "20 m"),
        ('"sí";"sí";"no"', 1, "sí"),
        ('"sí";"sí";"no"', 0, "no"),
        ('0" over";0" below"', -5, "5 below"),
        ("#,##0;[Red]#,##0", -5, "-5"),
        ("#,##0_);(#,##0)", -5, "-5"),
        ('0" kg";(0" kg")', -5, "-5 kg"),
        ("+0;-0;0", 4, "+4"),
        ('0 "años";-0 "años"', 4, "4 años"),
        (";;;", 12, ""),
        ("0;-0;;@", 0, ""),
        ('_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', 0, "0 €"),
        ('_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', -9.5, "-9.5 €"),
    ],
)
def test_sections_are_chosen_by_sign_and_condition(code: str, number: float, shown: str):
    assert shown_number(number, read_format(code)) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("dd/mm/yyyy", MARCH_2027, "2027-03-01"),
        ('d "de" mmmm "de" yyyy', MARCH_2027, "2027-03-01"),
        ("[$-C0A]dddd, d mmm", MARCH_2027, "2027-03-01"),
        ("mmm yyyy", MARCH_2027, "03/2027"),
        ("[$-C0A]mmmm yyyy", MARCH_2027, "03/2027"),
        ("mm/yy", MARCH_2027, "03/2027"),
        ('"Temporada "yyyy', MARCH_2027, "2027"),
        ("dd/mm/yyyy", AT_HALF_PAST_NINE, "2027-03-01"),
        ("dd/mm/yyyy hh:mm", AT_HALF_PAST_NINE, "2027-03-01 09:30"),
        ("dd/mm/yyyy hh:mm", MARCH_2027, "2027-03-01"),
        ("h:mm AM/PM", AT_HALF_PAST_NINE, "09:30"),
        ("h:mm", 0.75, "18:00"),
        ("h:mm", 0.75001, "18:00"),
        ("h:mm:ss", 0.75001, "18:00:01"),
        ('h" h "mm" min"', 0.104166667, "2 h 30 min"),
        ("[h]:mm", 1.0625, "25:30"),
        ("[h]:mm:ss", 0.0010416667, "0:01:30"),
        ("[mm]:ss", 0.0010416667, "0:01:30"),
        ('[h]" h"', 1.0625, "25 h"),
        ('[m]" min"', 0.0625, "90 min"),
    ],
)
def test_dates_times_and_durations_say_as_much_as_is_shown(code: str, number: float, shown: str):
    assert shown_number(number, read_format(code)) == shown


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("@", "A12", "A12"),
        ("General", "A12", "A12"),
        ('"Ref. "@', "A12", "Ref. A12"),
        ('0;-0;0;"Amarre "@', "B7", "Amarre B7"),
        ('@" (a consultar)"', "Lagun", "Lagun (a consultar)"),
        ('"ver nota"', "A12", "A12"),
    ],
)
def test_texts_are_read_in_the_section_that_is_theirs(code: str, text: str, shown: str):
    assert shown_string(text, read_format(code)) == shown


def test_texts_of_a_format_that_never_end_are_left_out():
    assert shown_number(7, read_format(f'0"{"kg " * 100}"')) == "7"
    assert shown_string("A12", read_format(f'@"{"kg " * 100}"')) == "A12"


@pytest.mark.timeout(10)
@pytest.mark.parametrize("piece", ["[$", '"', "[<", "\\", "_", "#,", "[h", "0 "])
def test_codes_without_end_are_cut(piece: str):
    assert len(shown_number(7, read_format(piece * 1_000_000))) < 500
