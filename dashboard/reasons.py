"""The reasons why something could not be read completely: the pipeline stores them in English,
pages show them in the reader's language.

The texts are those of reading, sources/connectors, sources/syncing and config/http, with
places for what is filled in there; a test finds those that are missing here.
"""

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dashboard.account_reasons import ACCOUNT_REASONS

TRANSLATED_MAX_CHARS = 2000  # of ours, none is longer

REASONS = (
    gettext_noop("This file is empty."),
    gettext_noop("This file has no text that can be indexed."),
    gettext_noop("The file has no text that can be indexed."),
    gettext_noop(
        "This file takes too long to read. Split it into smaller files and upload them one by one."
    ),
    gettext_noop(
        "This file could not be read: it is damaged or more complex than we can handle."
        " Save it again in its program, or export it as PDF or text, and upload the new"
        " file."
    ),
    gettext_noop(
        "This file contains too much text. Split it into several files and upload them one by one."
    ),
    gettext_noop(
        "This page is nested more deeply than we can read. Export it as PDF or text and"
        " upload the new file."
    ),
    gettext_noop(
        "This file is damaged or incomplete and could not be read. Save it again in its"
        " program and upload the new file."
    ),
    gettext_noop(
        "This %(kind)s is protected with a password. Remove the protection and upload it again."
    ),
    gettext_noop(
        "This file unpacks to an unreasonable size and was not opened. Save it again in its"
        " program without embedded files and upload the new file."
    ),
    gettext_noop(
        "The file has more than %(limit)s passages. Split it into several files and upload"
        " them one by one."
    ),
    gettext_noop(
        "This file holds no words, only letters, numbers or signs at random, so nothing could be"
        " answered from it. Upload the text that people read."
    ),
    gettext_noop("%(count)s passages say the same as the one before them and were kept once."),
    gettext_noop(
        "The %(name)s plan holds %(limit)s passages, and with this content there would be more."
        " Delete other sources, shorten this one, or change the plan; then sync this source."
    ),
    gettext_noop("This CSV file has more than %(limit)s columns."),
    gettext_noop("The sheet %(name)s has more than %(limit)s columns."),
    gettext_noop("The sheet %(name)s has too many rows."),
    gettext_noop(
        "Charts and comments of this workbook were not read. Save it as XLSX and upload the new"
        " file."
    ),
    gettext_noop(
        "Cells beyond column %(limit)s were left out (%(count)s), in these sheets:"
        " %(names)s. Move them to sheets of their own and upload the workbook again."
    ),
    gettext_noop("Fields beyond column %(limit)s were left out. Move them to a file of their own."),
    gettext_noop(
        "A line of this CSV file is longer than four million characters. Save it with one"
        " row a line and upload the file again."
    ),
    gettext_noop(
        "A field of this CSV file is longer than a million characters, probably because a"
        " quotation mark is never closed. Correct it and upload the file again."
    ),
    gettext_noop(
        "No text was found in this image. If there is text in it, take a sharper, larger or"
        " better lit picture and upload that."
    ),
    gettext_noop(
        "This image is damaged or incomplete and could not be read. Save it again as PNG or"
        " JPEG and upload the new file."
    ),
    gettext_noop(
        "This image has more than %(limit)s million pixels. Save it smaller (300 dots per"
        " inch are enough) and upload the new file."
    ),
    gettext_noop(
        "The pages of this image file have more than %(limit)s million pixels in all. Save"
        " them smaller (300 dots per inch are enough), or split the file."
    ),
    gettext_noop(
        "This image file has more than %(limit)s pages. Split it into several files and"
        " upload them one by one."
    ),
    gettext_noop("No speech was heard in this recording, so it has no text that can be indexed."),
    gettext_noop(
        "The speech in this recording could not be understood. Upload a recording with less"
        " noise, or its text."
    ),
    gettext_noop(
        "This recording is longer than %(limit)s hours. Split it into shorter ones and"
        " upload them one by one."
    ),
    gettext_noop("This file holds pictures but no sound, so there is nothing to transcribe."),
    gettext_noop(
        "The sound of this file is encoded or protected in a way that we cannot read. Save"
        " it as MP3 or WAV and upload the new file."
    ),
    gettext_noop(
        "No text was found in this PDF, although text recognition (OCR) was tried. If its"
        " pages show text, scan them again, sharper or larger, and upload the new file."
    ),
    gettext_noop(
        "This PDF has no text: it looks like a scan, and text recognition (OCR) is not"
        " configured on this server. Its operator can install Tesseract's language data (on"
        " Debian: tesseract-ocr-eng and tesseract-ocr-spa). Or run the file through a"
        " program that recognises text and upload the result."
    ),
    gettext_noop(
        "%(places)s: scanned and not read, because text recognition (OCR) is not configured"
        " on this server."
    ),
    gettext_noop(
        "%(places)s: no text was found in a picture, although text recognition (OCR) was"
        " tried. If it shows text, scan it again, sharper or larger."
    ),
    gettext_noop(
        "%(places)s: perhaps read wrongly, because a font does not say which letters its"
        " signs are. Export the PDF again with another program, or upload a scan of it."
    ),
    gettext_noop(
        "%(places)s: not read, because it is damaged. Export the PDF again and upload that."
    ),
    gettext_noop("%(places)s: read in part only, because one page holds too many characters."),
    gettext_noop(
        "This PDF is damaged or incomplete: only what is left of it was read. Save it again"
        " in its program and upload the new file."
    ),
    gettext_noop("Files embedded in this PDF were not read: %(names)s. Upload them one by one."),
    gettext_noop(
        "The fields of this form were not read: they are made for Adobe's programs only"
        " (XFA). Print the form to a PDF and upload that."
    ),
    gettext_noop(
        "This PDF has more than %(limit)s scanned pages. Split it into several files and"
        " upload them one by one."
    ),
    gettext_noop(
        "This PDF has no text that can be indexed: its pages are empty or damaged. Export"
        " it again and upload the new file."
    ),
    gettext_noop(
        "This PDF has more than %(limit)s pages. Split it into several files and upload"
        " them one by one."
    ),
    gettext_noop("%(count)s of %(total)s pages had text."),
    gettext_noop("%(count)s of %(total)s pages was read by OCR."),
    gettext_noop("%(count)s of %(total)s pages were read by OCR."),
    gettext_noop("Hidden parts of this page were left out."),
    gettext_noop("Hidden slides were left out: %(names)s."),
    gettext_noop("Hidden sheets were left out: %(names)s."),
    gettext_noop("The document was read only in part: the rest of it is damaged."),
    gettext_noop("Footnotes, endnotes or comments were not read whole: they are damaged."),
    gettext_noop("Page headers or footers were not read whole: they are damaged."),
    gettext_noop(
        "Charts or diagrams that are damaged, or whose values are not stored in this"
        " file, were not read whole (%(count)s)."
    ),
    gettext_noop(
        "Embedded objects (such as workbooks) were not read (%(count)s). Upload them as"
        " files of their own."
    ),
    gettext_noop(
        "Texts inserted from other files were not read (%(count)s): their format is not known."
    ),
    gettext_noop("%(places)s: not read, because it is damaged or missing."),
    gettext_noop("%(places)s: read only in part, because it is damaged."),
    gettext_noop("%(places)s: notes or comments were not read whole, because they are damaged."),
    gettext_noop(
        "%(places)s: a chart or diagram was not read whole, because it is damaged or its"
        " values are not stored in this file."
    ),
    gettext_noop(
        "%(places)s: an embedded object (such as a workbook) was not read. Upload it as a"
        " file of its own."
    ),
    gettext_noop("Damaged sheets were left out: %(names)s."),
    gettext_noop("Damaged sheets were read only in part: %(names)s."),
    gettext_noop(
        "Charts, drawings or comments that are damaged were not read whole, in these"
        " sheets: %(names)s."
    ),
    gettext_noop(
        "Formulas whose results are not stored in this file were left out (%(count)s), in"
        " these sheets: %(names)s. Open the workbook in its program, save it and upload it"
        " again."
    ),
    gettext_noop(
        "Cells whose texts are damaged were left out (%(count)s), in these sheets: %(names)s."
    ),
    gettext_noop(
        "The recording is damaged or incomplete from %(time)s on: what could be heard was"
        " transcribed."
    ),
    gettext_noop(
        "What was said at %(places)s and other places could not be understood and was left out."
    ),
    gettext_noop("What was said at %(places)s could not be understood and was left out."),
    gettext_noop("The end of this file was not read: it is damaged."),
    gettext_noop("Some of the text was not read: the file is damaged."),
    gettext_noop("%(places)s: read only in part, because the file is damaged."),
    gettext_noop(
        "This presentation was made before PowerPoint 97 and cannot be read. Save it as PPTX or"
        " PDF and upload the new file."
    ),
    gettext_noop("Page headers and footers were not read: they are damaged."),
    gettext_noop("A chart or formula was not read: it is damaged."),
    gettext_noop(
        "This book is protected against copying (DRM), so its text cannot be read. Upload a"
        " copy without that protection."
    ),
    gettext_noop("%(places)s of the book: not read, because it is missing, damaged or too large."),
    gettext_noop(
        "What stands from line %(line)s on was perhaps not read whole, because the XML there"
        " is damaged."
    ),
    gettext_noop(
        "What stands from line %(line)s on was not read, because the JSON there is damaged."
    ),
    gettext_noop("%(places)s: not read, because the JSON there is damaged."),
    gettext_noop(
        "This JSON file is damaged at line %(line)s and could not be read. Correct it and"
        " upload the file again."
    ),
    gettext_noop("Lists of more than %(limit)s numbers were left out."),
    gettext_noop("Encoded values, such as pictures and certificates, were left out."),
    gettext_noop(
        "This file is nested more than %(limit)s levels deep. Save it in a simpler form and"
        " upload the new file."
    ),
    gettext_noop(
        "The website's robots.txt answers with an error (HTTP %(status)s). As long as it"
        " does, we may not read the website. Try again later."
    ),
    gettext_noop(
        "The website's robots.txt does not allow robots to read this address. Allow"
        " KnowledgeAgents there, or choose another address."
    ),
    gettext_noop(
        "The website is behind a bot protection that lets only browsers in. Let the robot"
        " KnowledgeAgents pass there, or export the pages and upload them as files."
    ),
    gettext_noop(
        "The website is a single-page app: its text is made by scripts in the browser, and"
        " the page itself holds hardly any. Offer pages that hold their text, or upload it"
        " as files."
    ),
    gettext_noop(
        "The page has too little text to answer from: fewer than %(limit)s characters."
        " Choose a page with more text."
    ),
    gettext_noop(
        "The page asks robots not to index it (noindex). Remove that from the page, or"
        " choose another address."
    ),
    gettext_noop(
        "No page with text was found at this address. Choose the address of a page with text."
    ),
    gettext_noop("The page has no text that can be indexed, or more than one document can hold."),
    gettext_noop("The page could not be read: it is damaged, too large or too complex."),
    gettext_noop(
        "At this address is no web page but %(kind)s. Choose the address of a page, or"
        " download the file and upload it."
    ),
    gettext_noop("This address leads to another website: %(url)s. Use that address."),
    gettext_noop("This is not the address of a website."),
    gettext_noop("The website did not answer in time. Check the address, or try again later."),
    gettext_noop("The website did not answer in time. Try again later."),
    gettext_noop("The website does not answer in time."),
    gettext_noop("The website answers with an error (HTTP %(status)s). Try again later."),
    gettext_noop("The website answers with HTTP %(status)s."),
    gettext_noop(
        "The page asks for a login (HTTP 401). Only pages that everybody may see can be read."
    ),
    gettext_noop("The website does not allow us to read this page (HTTP 403)."),
    gettext_noop("There is no page at this address (HTTP 404). Check it for typing errors."),
    gettext_noop("The page at this address was removed (HTTP 410)."),
    gettext_noop(
        "The plan's limit of %(limit)s pages per website was reached. The rest was left out."
    ),
    gettext_noop(
        "Reading the website took too long and was stopped. Pages that were not read again"
        " stay as they were."
    ),
    gettext_noop(
        "The website stopped answering: %(reason)s Pages that were not read again stay as"
        " they were."
    ),
    gettext_noop("The website has more text than one source can hold. The rest was left out."),
    gettext_noop("This is not a web address. Give one that begins with http:// or https://."),
    gettext_noop("This address is not on the public internet: only public websites can be read."),
    gettext_noop("This address is longer than %(limit)s characters."),
    gettext_noop("This address holds a user name or a password: leave it out."),
    gettext_noop("This address cannot be fetched."),
    gettext_noop("Websites are not read at port %(port)s."),
    gettext_noop("The name %(host)s was not found. Check the address for typing errors."),
    gettext_noop("The name %(host)s was not found in time."),
    gettext_noop("Too many names are being looked up at the moment. Try again in a minute."),
    gettext_noop("%(host)s does not answer."),
    gettext_noop("%(host)s refuses the connection or cannot be reached."),
    gettext_noop("The website takes too long to answer."),
    gettext_noop("The website sends more than we read."),
    gettext_noop("The website redirects in a circle, or too many times."),
    gettext_noop("The website redirects to something that is no address."),
    gettext_noop("The website answers in an encoding that we did not ask for."),
    gettext_noop("The website's certificate is not valid, or TLS failed."),
    gettext_noop("The connection to the website broke off."),
    gettext_noop("The answer is larger than %(size)s MB."),
    gettext_noop(
        "No account is connected to this source. Connect one in the dashboard, then sync."
    ),
    gettext_noop(
        "Sources of this type cannot be synced by this server yet. Export the content and"
        " upload it as files."
    ),
    gettext_noop("Nothing that could be indexed was found."),
    gettext_noop(
        "The content could not be fetched because of a problem on our side. Sync the source"
        " to try again."
    ),
    gettext_noop(
        "The file could not be read because of a problem on our side. Sync the source to try again."
    ),
    gettext_noop(
        "The text could not be divided into passages because of a problem on our side. Sync"
        " the source to try again."
    ),
    gettext_noop(
        "The passages could not be prepared for search because of a problem on our side."
        " Sync the source to try again."
    ),
    gettext_noop(
        "The passages could not be saved because of a problem on our side. Sync the source"
        " to try again."
    ),
    gettext_noop(
        "The source could not be indexed because of a problem on our side. Sync the source"
        " to try again."
    ),
    gettext_noop("The source could not be indexed because of a problem on our side."),
    gettext_noop(
        "Indexing took too long and was stopped. The content may be too large: split it,"
        " then sync the source to try again."
    ),
    gettext_noop(
        "The number of connected sources in the %(name)s plan is %(limit)s, and others have their"
        " places. Delete one of those, or change the plan; then sync this source."
    ),
    gettext_noop(
        "No process was free to index this source for twelve hours. Sync the source to try"
        " again later."
    ),
    gettext_noop(
        "Indexing was interrupted: the process that did it was stopped. Nothing is lost."
        " Sync the source to try again."
    ),
    gettext_noop(
        "Indexing was stopped %(count)s times before its end. The content may be too large:"
        " split it, then sync the source to try again."
    ),
    gettext_noop("The stored file is missing. Upload it again."),
    gettext_noop("The search switched to another model meanwhile. Sync the source to try again."),
    gettext_noop("Files cannot be read at the moment. Try again in a minute."),
    gettext_noop(
        "Files and web pages are not read on this server at present: a protection that keeps them"
        " apart from other data is missing. Whoever runs the server has to turn it on, or to permit"
        " reading without it. What was indexed before still answers."
    ),
    gettext_noop("Files cannot be stored or fetched at the moment. Try again in a minute."),
    gettext_noop(
        "%(done)s of about %(total)s documents were read: the next sync goes on from there."
    ),
    gettext_noop("%(done)s documents were read: the next sync goes on from there."),
    gettext_noop("The old version goes on answering."),
    gettext_noop("Nothing in this file could be read. %(name)s: %(reason)s"),
    gettext_noop("The type of this file is not known. Supported types: %(names)s."),
    gettext_noop("Files ending in %(ending)s are not supported. Supported types: %(names)s."),
    gettext_noop("The name of this file ends in %(ending)s, but its content is %(kind)s."),
    gettext_noop("The name of this file says %(name)s, but its content is not %(kind)s."),
    gettext_noop("This is an image in a format that we do not read. Supported types: %(names)s."),
    gettext_noop("This is a PostScript file. Supported types: %(names)s."),
    gettext_noop("This is a compressed file. Supported types: %(names)s."),
    gettext_noop("This is a program. Supported types: %(names)s."),
    gettext_noop("It is too large. Up to %(limit)s MB are read."),
    gettext_noop(
        "Only the first %(limit)s files in it were read, and %(count)s were not. Upload"
        " the others separately."
    ),
    gettext_noop(
        "It was not unpacked: all files together may have %(limit)s MB, and those before"
        " it do. Upload it by itself."
    ),
    gettext_noop(
        "The files in this archive overlap, which no ordinary program does: it was not opened."
    ),
    gettext_noop("It is protected with a password. Remove the protection and upload it again."),
    gettext_noop(
        "It is compressed by a method that we do not read. Pack it again as an ordinary"
        " ZIP, or upload it by itself."
    ),
    gettext_noop("It is damaged in the archive and could not be unpacked."),
    gettext_noop(
        "This is not a message: it does not say who wrote it, or to whom. Save it again"
        " in the mail program."
    ),
    gettext_noop(
        "This message is encrypted, or sealed with a signature. Open it in the mail"
        " program, save its text and upload that."
    ),
    gettext_noop(
        "A part of this message was not read: it is encrypted or sealed with a signature."
    ),
    gettext_noop(
        "Of this message, what lies beyond part %(parts)s, or more than %(depth)s parts"
        " deep, was not read."
    ),
    gettext_noop("The text of this message was read without its layout: it is too complex."),
    gettext_noop("The end of this message was not read: it is missing in the file."),
    gettext_noop("This message is damaged or incomplete and could not be read."),
    gettext_noop(
        "It is an object of another program, not a file: save it as a file and attach that."
    ),
    gettext_noop("It is a link to a file that is elsewhere."),
    gettext_noop("It lies too deep, in too many messages within each other."),
    gettext_noop("Parts of this message may not have been read: it is damaged."),
    gettext_noop("The text of this message was read without its layout: it is damaged."),
    gettext_noop("There is no file in it that could be read."),
    gettext_noop(
        "It lies in too many files within each other and was not opened. Upload it by itself."
    ),
    gettext_noop("It was not read: only %(limit)s files within one file are. Upload it by itself."),
    gettext_noop(
        "It was not read: with the files before it, more than %(limit)s MB were unpacked."
        " Upload it by itself."
    ),
    gettext_noop(
        "It was not read: with the files before it, there are more than %(limit)s"
        " passages. Upload it by itself."
    ),
)
PLACE = re.compile(r"%\\\((\w+)\\\)s")  # as re.escape writes "%(name)s"

NUMBER = r"[\d.,:]+"
FILLINGS = {
    **dict.fromkeys(
        (
            "count",
            "depth",
            "done",
            "limit",
            "line",
            "parts",
            "port",
            "size",
            "status",
            "time",
            "total",
        ),
        NUMBER,
    ),
    "host": r"\S+",
}


# What a warning about several places begins with: "Page 3, 5–7"
PLACE_KINDS = (
    gettext_noop("Page"),
    gettext_noop("Slide"),
    gettext_noop("Line"),
    gettext_noop("Part"),
)


def pattern_of(reason: str) -> re.Pattern[str]:
    """A pattern that matches the reason, and any further reasons after it."""
    words = PLACE.sub(
        lambda place: f"(?P<{place[1]}>{FILLINGS.get(place[1], '.+?')})", re.escape(reason)
    )
    return re.compile(f"{words}(?: (?P<others>.+))?", re.DOTALL)


PATTERNS = [(reason, pattern_of(reason)) for reason in (*REASONS, *ACCOUNT_REASONS)]


def reason_in_words(text: str) -> str:
    """The reason in the page's language; a text without a translation is returned unchanged."""
    if len(text) > TRANSLATED_MAX_CHARS:
        return text
    for reason, pattern in PATTERNS:
        found = pattern.fullmatch(text)
        if found is not None:
            given = found.groupdict()
            others = reason_in_words(given.pop("others") or "")
            if "reason" in given:  # one within the other
                given["reason"] = reason_in_words(given["reason"])
            if "places" in given:
                given["places"] = places_in_words(given["places"])
            return " ".join(filter(None, (_(reason) % given if given else _(reason), others)))
    return text


def places_in_words(places: str) -> str:
    kind, space, numbers = places.partition(" ")
    return f"{_(kind) if kind in PLACE_KINDS else kind}{space}{numbers}"
