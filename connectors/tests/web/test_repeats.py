"""What repeats on the pages of a website is indexed once."""

from connectors.web.repeats import fold_repeats
from reading.passages import Block

FOOTER = Block("Call us any time.")
HEADING = Block("Contact", is_heading=True)


def pages(count: int, *repeated: Block) -> list[tuple[Block, ...]]:
    return [(Block(f"Text of page {number}."), *repeated) for number in range(count)]


def test_the_first_page_keeps_what_all_repeat():
    first, *others = fold_repeats(pages(5, FOOTER))
    assert first == (Block("Text of page 0."), FOOTER)
    assert others == [(Block(f"Text of page {number}."),) for number in range(1, 5)]


def test_case_and_white_space_make_no_other_text():
    given = [*pages(4, FOOTER), *pages(1, Block("CALL  us\nany time."))]
    assert fold_repeats(given)[4] == (Block("Text of page 0."),)


def test_of_few_pages_nothing_is_folded():
    assert fold_repeats(pages(4, FOOTER)) == pages(4, FOOTER)


def test_what_half_of_the_pages_say_is_theirs():
    given = [*pages(5, FOOTER), *pages(5)]
    assert fold_repeats(given) == given


def test_what_one_page_repeats_is_no_repeat():
    given = [*pages(4), (Block("Row"), Block("Row"), Block("Row"))]
    assert fold_repeats(given) == given


def test_a_heading_goes_with_what_stood_below_it_and_stays_with_what_is_left():
    other = Block("Call Ann.")
    given = [*pages(5, HEADING, FOOTER), (Block("Last."), HEADING, FOOTER, other)]
    folded = fold_repeats(given)
    assert folded[1] == (Block("Text of page 1."),)
    assert folded[5] == (Block("Last."), HEADING, other)


def test_a_page_keeps_its_only_text():
    given = [*pages(5, FOOTER), (HEADING, FOOTER)]
    assert fold_repeats(given)[5] == (HEADING, FOOTER)
