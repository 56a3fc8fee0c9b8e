"""The English text of every reason, by its code; docs/api.md lists the codes.

A code is stable: rows and clients keep it. Correct a text here, and its Spanish in
templates/locale/es (`bin/translate`); a text with other values gets another code. Short and clear,
for a customer: the cause, then what to do.
"""

from collections.abc import Mapping


def gettext_noop(text: str) -> str:
    """Mark a text for `bin/translate`. It is translated where it is shown."""
    return text


TEXTS: Mapping[str, str] = {
    # Shapes, which hold other reasons or plain words
    "text": "%(text)s",
    "several": "%(reasons)s",
    "of_document": "%(name)s: %(reason)s",
    "places_page": gettext_noop("Page %(numbers)s"),
    "places_slide": gettext_noop("Slide %(numbers)s"),
    "places_line": gettext_noop("Line %(numbers)s"),
    "places_part": gettext_noop("Part %(numbers)s"),
    # Files (reading/)
    "file_empty": gettext_noop("This file is empty."),
    "no_text_in_file": gettext_noop("This file has no text that can be indexed."),
    "reading_too_slow": gettext_noop(
        "This file takes too long to read. Split it into smaller files and upload them one by one."
    ),
    "file_unreadable": gettext_noop(
        "This file could not be read: it is damaged or too complex. Save it again in the "
        "program that made it, or export it as PDF or text, and upload the new file."
    ),
    "too_much_text": gettext_noop(
        "This file contains too much text. Split it into several files and upload them one by one."
    ),
    "page_nested_too_deep": gettext_noop(
        "This page has too many nested levels. Export it as PDF or text and upload the new file."
    ),
    "file_damaged": gettext_noop(
        "This file is damaged or incomplete and could not be read. Save it again in the "
        "program that made it and upload the new file."
    ),
    "file_protected": gettext_noop(
        "This %(kind)s is protected with a password. Remove the protection and upload it again."
    ),
    "unpacks_too_large": gettext_noop(
        "This file becomes far too large when it is unpacked, so it was not opened. Save it "
        "again without embedded files and upload the new file."
    ),
    "too_many_passages_in_file": gettext_noop(
        "The file has more than %(limit)s passages. Split it into several files and upload "
        "them one by one."
    ),
    "no_words_in_file": gettext_noop(
        "This file contains no words, only random letters, numbers or symbols. Upload text "
        "that people can read."
    ),
    "same_file_as": gettext_noop(
        "This is the same file as %(name)s, which was uploaded before. Delete one of the two."
    ),
    "repeated_passages": gettext_noop(
        "%(count)s passages repeat the one before them and were kept only once."
    ),
    "plan_passages_exceeded": gettext_noop(
        "Your %(name)s plan holds %(limit)s passages, and this content would exceed that. "
        "Delete other sources, shorten this one or change the plan, then sync this source."
    ),
    "sheet_too_many_rows": gettext_noop(
        "The sheet %(name)s has too many rows. Split this file into several and upload them "
        "one by one."
    ),
    "workbook_side_parts_lost": gettext_noop(
        "The charts and comments of this workbook were not read. Save it as XLSX and upload "
        "the new file."
    ),
    "far_cells_left_out": gettext_noop(
        "Cells beyond column %(limit)s were left out (%(count)s) in these sheets: "
        "%(names)s. Move them to separate sheets and upload the workbook again."
    ),
    "far_fields_left_out": gettext_noop(
        "Fields beyond column %(limit)s were left out. Move them to a separate file."
    ),
    "csv_line_too_long": gettext_noop(
        "A line of this CSV file is longer than four million characters. Save it with one "
        "row per line and upload the file again."
    ),
    "csv_field_too_long": gettext_noop(
        "A field of this CSV file is longer than a million characters, probably because a "
        "quotation mark is never closed. Correct it and upload the file again."
    ),
    "no_text_in_image": gettext_noop(
        "No text was found in this image. If it contains text, take a sharper, larger or "
        "better-lit picture and upload that."
    ),
    "image_damaged": gettext_noop(
        "This image is damaged or incomplete and could not be read. Save it again as PNG or "
        "JPEG and upload the new file."
    ),
    "image_too_large": gettext_noop(
        "This image has more than %(limit)s million pixels. Save it at a smaller size (300 "
        "dots per inch are enough) and upload the new file."
    ),
    "image_pages_too_large": gettext_noop(
        "The pages of this image file have more than %(limit)s million pixels in total. "
        "Save them at a smaller size (300 dots per inch are enough), or split the file."
    ),
    "image_too_many_pages": gettext_noop(
        "This image file has more than %(limit)s pages. Split it into several files and "
        "upload them one by one."
    ),
    "no_speech_in_recording": gettext_noop(
        "No speech was heard in this recording, so there is no text to index."
    ),
    "speech_not_understood": gettext_noop(
        "The speech in this recording could not be understood. Upload a recording with less "
        "noise, or a transcript."
    ),
    "recording_too_long": gettext_noop(
        "This recording is longer than %(limit)s hours. Split it into shorter ones and "
        "upload them one by one."
    ),
    "no_sound_in_file": gettext_noop(
        "This file has pictures but no sound, so there is nothing to transcribe."
    ),
    "sound_not_readable": gettext_noop(
        "The sound in this file is encoded or protected in a way that we cannot read. Save "
        "it as MP3 or WAV and upload the new file."
    ),
    "no_text_in_scan": gettext_noop(
        "No text was found in this PDF, even with text recognition (OCR). If its pages show "
        "text, scan them again, sharper or larger, and upload the new file."
    ),
    "scan_without_ocr": gettext_noop(
        "This PDF is a scan without text, and text recognition (OCR) is not set up on this "
        "server. Upload a PDF with text, or ask the server's operator to install "
        "Tesseract's language data (on Debian: tesseract-ocr-eng and tesseract-ocr-spa)."
    ),
    "pages_without_ocr": gettext_noop(
        "%(places)s: scanned and not read, because text recognition (OCR) is not set up on "
        "this server."
    ),
    "picture_without_text": gettext_noop(
        "%(places)s: no text was found in a picture, even with text recognition (OCR). If "
        "it shows text, scan it again, sharper or larger."
    ),
    "pages_with_unclear_font": gettext_noop(
        "%(places)s: may contain reading errors, because a font does not say which letters "
        "it draws. Export the PDF again with another program, or upload a scan."
    ),
    "pages_damaged": gettext_noop(
        "%(places)s: not read because of damage. Export the PDF again and upload the new file."
    ),
    "pages_too_full": gettext_noop(
        "%(places)s: read only in part, because one page holds too many characters."
    ),
    "pages_at_a_slant": gettext_noop(
        "%(places)s: the lines may be out of order, because some are printed at a slant."
    ),
    "pdf_damaged": gettext_noop(
        "This PDF is damaged or incomplete: only the intact part was read. Save it again in "
        "the program that made it and upload the new file."
    ),
    "embedded_files_left_out": gettext_noop(
        "Files embedded in this PDF were not read: %(names)s. Upload them one by one."
    ),
    "xfa_form_left_out": gettext_noop(
        "The fields of this form were not read: they only work in Adobe's programs (XFA). "
        "Print the form to a PDF and upload that."
    ),
    "pdf_too_many_scanned_pages": gettext_noop(
        "This PDF has more than %(limit)s scanned pages. Split it into several files and "
        "upload them one by one."
    ),
    "no_text_in_pdf": gettext_noop(
        "This PDF has no text that can be indexed: its pages are empty or damaged. Export "
        "it again and upload the new file."
    ),
    "pdf_too_many_pages": gettext_noop(
        "This PDF has more than %(limit)s pages. Split it into several files and upload "
        "them one by one."
    ),
    "hidden_parts_left_out": gettext_noop("Hidden parts of this page were left out."),
    "hidden_slides_left_out": gettext_noop("Hidden slides were left out: %(names)s."),
    "hidden_sheets_left_out": gettext_noop("Hidden sheets were left out: %(names)s."),
    "document_read_in_part": gettext_noop(
        "The document was read only in part: the rest of it is damaged."
    ),
    "notes_read_in_part": gettext_noop(
        "Footnotes, endnotes or comments were read only in part: they are damaged."
    ),
    "frames_read_in_part": gettext_noop(
        "Page headers or footers were read only in part: they are damaged."
    ),
    "graphics_read_in_part": gettext_noop(
        "Charts or diagrams were read only in part (%(count)s): they are damaged, or their "
        "values are not stored in this file."
    ),
    "embedded_objects_left_out": gettext_noop(
        "Embedded objects (such as workbooks) were not read (%(count)s). Upload them as "
        "separate files."
    ),
    "inserted_texts_left_out": gettext_noop(
        "Texts inserted from other files were not read (%(count)s): their format is unknown."
    ),
    "parts_not_read": gettext_noop("%(places)s: not read because of damaged or missing data."),
    "parts_read_in_part": gettext_noop("%(places)s: read only in part because of damage."),
    "parts_notes_read_in_part": gettext_noop(
        "%(places)s: notes or comments were read only in part because of damage."
    ),
    "parts_graphic_read_in_part": gettext_noop(
        "%(places)s: a chart or diagram was read only in part, because it is damaged or its "
        "values are not stored in this file."
    ),
    "parts_object_left_out": gettext_noop(
        "%(places)s: an embedded object (such as a workbook) was not read. Upload it as a "
        "separate file."
    ),
    "damaged_sheets_left_out": gettext_noop("Damaged sheets were left out: %(names)s."),
    "sheets_read_in_part": gettext_noop("Damaged sheets were read only in part: %(names)s."),
    "sheet_side_parts_read_in_part": gettext_noop(
        "Damaged charts, drawings or comments were read only in part in these sheets: %(names)s."
    ),
    "formulas_left_out": gettext_noop(
        "Formulas without stored results were left out (%(count)s) in these sheets: "
        "%(names)s. Open the workbook in its program, save it and upload it again."
    ),
    "damaged_cells_left_out": gettext_noop(
        "Cells with damaged text were left out (%(count)s) in these sheets: %(names)s."
    ),
    "recording_damaged": gettext_noop(
        "The recording is damaged or incomplete from %(time)s on; what could be heard was "
        "transcribed."
    ),
    "speech_left_out_and_more": gettext_noop(
        "Speech at %(places)s and other times could not be understood and was left out."
    ),
    "speech_left_out": gettext_noop(
        "Speech at %(places)s could not be understood and was left out."
    ),
    "end_of_file_lost": gettext_noop("The end of this file was not read because it is damaged."),
    "some_text_lost": gettext_noop("Some of the text was not read because the file is damaged."),
    "parts_of_damaged_file": gettext_noop(
        "%(places)s: read only in part, because the file is damaged."
    ),
    "presentation_too_old": gettext_noop(
        "This presentation was made before PowerPoint 97 and cannot be read. Save it as "
        "PPTX or PDF and upload the new file."
    ),
    "frames_lost": gettext_noop("Page headers and footers were not read: they are damaged."),
    "chart_or_formula_lost": gettext_noop("A chart or formula was not read: it is damaged."),
    "book_protected": gettext_noop(
        "This book has copy protection (DRM), so its text cannot be read. Upload a copy without it."
    ),
    "book_parts_lost": gettext_noop(
        "%(places)s of the book: not read because of missing, damaged or too much data."
    ),
    "xml_damaged_from_line": gettext_noop(
        "The text from line %(line)s on may be incomplete, because the XML is damaged there."
    ),
    "json_damaged_from_line": gettext_noop(
        "Nothing from line %(line)s on was read, because the JSON is damaged there."
    ),
    "json_lines_damaged": gettext_noop("%(places)s: not read, because the JSON is damaged there."),
    "json_file_damaged": gettext_noop(
        "This JSON file is damaged at line %(line)s and could not be read. Correct it and "
        "upload the file again."
    ),
    "number_lists_left_out": gettext_noop("Lists of more than %(limit)s numbers were left out."),
    "encoded_values_left_out": gettext_noop(
        "Encoded values, such as pictures and certificates, were left out."
    ),
    "nested_too_deep": gettext_noop(
        "This file has more than %(limit)s nested levels. Save it in a simpler form and "
        "upload the new file."
    ),
    "ocr_not_set_up": gettext_noop(
        "Images are read by OCR, which is not configured here. %(advice)s"
    ),
    "speech_not_set_up": gettext_noop(
        "Audio is transcribed by a Whisper model, and none is configured here: "
        'WHISPER_MODEL is "none". Unset it for the model that comes with the service, or '
        'name another (for example "small").'
    ),
    "speech_model_broken": gettext_noop(
        "Audio is transcribed by a Whisper model, and the one that comes with the service "
        "could not be put together. The service's log says why."
    ),
    "speech_model_unknown": gettext_noop(
        "Audio is transcribed by a Whisper model, but WHISPER_MODEL is neither a model's "
        'name (for example "small"), nor a folder with a faster-whisper model, nor a '
        "checkpoint file."
    ),
    "speech_model_no_checkpoint": gettext_noop(
        "Audio is transcribed by a Whisper model, but the file named by WHISPER_MODEL is "
        "not a Whisper checkpoint. Set WHISPER_MODEL to a checkpoint file written by "
        'openai-whisper, or to a model\'s name (for example "small").'
    ),
    "speech_model_not_converted": gettext_noop(
        "Audio is transcribed by a Whisper model, and the checkpoint file named by "
        "WHISPER_MODEL has not been converted yet: this happens when the service starts. "
        "Start it again."
    ),
    "speech_model_not_fetched": gettext_noop(
        'Audio is transcribed by a Whisper model, and "%(name)s", named by WHISPER_MODEL, '
        "is not here yet: it is fetched when the service starts with access to the "
        "internet. Start it again, or unset WHISPER_MODEL for the model that comes with the "
        "service."
    ),
    "not_a_sitemap": gettext_noop("This is not a sitemap."),
    "sitemap_with_doctype": gettext_noop(
        "This sitemap declares a document type, which sitemaps do not need. It was not read."
    ),
    # Websites (connectors/web, config/http)
    "robots_txt_fails": gettext_noop(
        "The website's robots.txt answers with an error (HTTP %(status)s). Until it works, "
        "we may not read the website. Try again later."
    ),
    "robots_txt_forbids": gettext_noop(
        "The website's robots.txt does not allow robots to read this address. Allow "
        "KnowledgeAgents there, or choose another address."
    ),
    "bot_protection": gettext_noop(
        "The website's bot protection only lets browsers in. Let the robot KnowledgeAgents "
        "in, or export the pages and upload them as files."
    ),
    "single_page_app": gettext_noop(
        "The website builds its text with scripts in the browser (a single-page app), so "
        "its pages contain hardly any. Offer pages that contain their text, or upload it as "
        "files."
    ),
    "page_too_short": gettext_noop(
        "The page has too little text: fewer than %(limit)s characters. Choose a page with "
        "more text."
    ),
    "page_noindex": gettext_noop(
        "The page asks robots not to index it (noindex). Remove that from the page, or "
        "choose another address."
    ),
    "no_page_with_text": gettext_noop(
        "No page with text was found at this address. Choose the address of a page with text."
    ),
    "page_without_text": gettext_noop(
        "The page has no text that can be indexed, or more than fits into one document."
    ),
    "page_unreadable": gettext_noop(
        "The page could not be read: it is damaged, too large or too complex."
    ),
    "not_a_web_page": gettext_noop(
        "This address is not a web page but %(kind)s. Choose the address of a page, or "
        "download the file and upload it."
    ),
    "leads_to_other_website": gettext_noop(
        "This address leads to another website: %(url)s. Use that address."
    ),
    "not_a_website": gettext_noop("This is not the address of a website."),
    "website_check_too_slow": gettext_noop(
        "The website did not answer in time. Check the address, or try again later."
    ),
    "website_not_in_time": gettext_noop("The website did not answer in time. Try again later."),
    "website_too_slow": gettext_noop("The website does not answer in time."),
    "website_fails": gettext_noop(
        "The website answers with an error (HTTP %(status)s). Try again later."
    ),
    "website_refuses": gettext_noop("The website answers with HTTP %(status)s."),
    "page_needs_login": gettext_noop(
        "The page asks for a login (HTTP 401). Only public pages can be read."
    ),
    "page_forbidden": gettext_noop("The website does not allow us to read this page (HTTP 403)."),
    "page_not_found": gettext_noop(
        "There is no page at this address (HTTP 404). Check it for typing errors."
    ),
    "page_removed": gettext_noop("The page at this address was removed (HTTP 410)."),
    "plan_pages_reached": gettext_noop(
        "Your plan's limit of %(limit)s pages per website was reached. The rest was left out."
    ),
    "pages_left_out": gettext_noop("Pages found and not read: %(count)s."),
    "linked_files_left_out": gettext_noop(
        "Files that the pages link to, found and not read: %(count)s (%(names)s). Upload those "
        "that matter."
    ),
    "linked_file_is_none": gettext_noop(
        "The address ends like that of a document, but something else is there."
    ),
    "linked_file_without_time": gettext_noop(
        "There was no time left to read this file. The next sync tries again."
    ),
    "linked_file_over_plan": gettext_noop(
        "The file has %(count)s passages, more than your plan has left."
    ),
    "website_cut_by_time": gettext_noop(
        "Reading the website took too long and was stopped. Pages that were not read again "
        "keep their last version."
    ),
    "website_cut_by_failures": gettext_noop(
        "The website stopped answering: %(reason)s Pages that were not read again keep "
        "their last version."
    ),
    "website_too_much_text": gettext_noop(
        "The website has more text than fits into one source. The rest was left out."
    ),
    "encoding_header_wrong": gettext_noop(
        "The website says that this page is in the encoding %(encoding)s, and it is not. It was "
        "read in the one that its letters fit. Correct the charset in the server's Content-Type."
    ),
    "not_a_web_address": gettext_noop(
        "This is not a web address. Enter one that begins with http:// or https://."
    ),
    "address_not_public": gettext_noop(
        "This address is not on the public internet: only public websites can be read."
    ),
    "address_too_long": gettext_noop("This address is longer than %(limit)s characters."),
    "address_with_password": gettext_noop(
        "This address contains a user name or a password. Remove it."
    ),
    "address_not_fetchable": gettext_noop("This address cannot be opened."),
    "port_not_read": gettext_noop("Websites on port %(port)s are not read."),
    "host_not_found": gettext_noop(
        "The name %(host)s was not found. Check the address for typing errors."
    ),
    "host_not_found_in_time": gettext_noop("The name %(host)s could not be looked up in time."),
    "too_many_lookups": gettext_noop(
        "Too many addresses are being looked up at the moment. Try again in a minute."
    ),
    "host_silent": gettext_noop("%(host)s does not answer."),
    "host_unreachable": gettext_noop("%(host)s refuses the connection or cannot be reached."),
    "website_slow": gettext_noop("The website takes too long to answer."),
    "website_sends_too_much": gettext_noop("The website sends more data than we read."),
    "website_redirects_in_circle": gettext_noop(
        "The website redirects in a circle or too many times."
    ),
    "website_redirects_nowhere": gettext_noop("The website redirects to an invalid address."),
    "website_encoding_unexpected": gettext_noop(
        "The website answers in an encoding that we did not ask for."
    ),
    "website_tls_failed": gettext_noop(
        "The website's certificate is not valid, or the secure connection failed."
    ),
    "website_connection_broken": gettext_noop("The connection to the website was interrupted."),
    "answer_too_large": gettext_noop("The answer is larger than %(size)s MB."),
    "website_answer_damaged": gettext_noop("The website's answer is damaged."),
    "server_answer_too_large": gettext_noop("The server's answer is too large."),
    "server_slow": gettext_noop("The server takes too long to answer."),
    "server_request_impossible": gettext_noop("The request cannot be sent."),
    "server_connection_broken": gettext_noop("The connection to the server was interrupted."),
    # Syncs (sources/)
    "no_account_connected": gettext_noop(
        "No account is connected to this source. Connect one in the dashboard, then sync."
    ),
    "kind_not_synced": gettext_noop(
        "This server cannot sync sources of this type yet. Export the content and upload it "
        "as files."
    ),
    "loss_unconfirmed": gettext_noop(
        "%(count)s of %(total)s documents were missing all at once, so nothing was changed: the "
        "last version keeps answering. Check the original. If they really are gone, sync the "
        "source again to remove them."
    ),
    "replaced_by_one": gettext_noop(
        "%(count)s pages now all lead to %(address)s, so nothing was changed: the last version "
        "keeps answering. Check the website. If this is intended, sync the source again."
    ),
    "nothing_found": gettext_noop("Nothing was found that could be indexed."),
    "our_fault_fetching": gettext_noop(
        "The content could not be fetched because of a problem on our side. Sync the source "
        "to try again."
    ),
    "our_fault_reading": gettext_noop(
        "The file could not be read because of a problem on our side. Sync the source to try again."
    ),
    "our_fault_dividing": gettext_noop(
        "The text could not be divided into passages because of a problem on our side. Sync "
        "the source to try again."
    ),
    "our_fault_embedding": gettext_noop(
        "The passages could not be prepared for search because of a problem on our side. "
        "Sync the source to try again."
    ),
    "our_fault_saving": gettext_noop(
        "The passages could not be saved because of a problem on our side. Sync the source "
        "to try again."
    ),
    "our_fault_indexing": gettext_noop(
        "The source could not be indexed because of a problem on our side. Sync the source "
        "to try again."
    ),
    "indexing_failed": gettext_noop(
        "The source could not be indexed because of a problem on our side."
    ),
    "sync_too_slow": gettext_noop(
        "Indexing took too long and was stopped. The content may be too large: split it, "
        "then sync the source to try again."
    ),
    "plan_places_taken": gettext_noop(
        "Your %(name)s plan's limit of connected sources (%(limit)s) is reached. Delete one "
        "of them or change the plan, then sync this source."
    ),
    "sync_waited_too_long": gettext_noop(
        "This source waited twelve hours without being indexed, because the server was "
        "busy. Sync it again later."
    ),
    "sync_abandoned": gettext_noop(
        "Indexing was interrupted because its process stopped. Nothing is lost. Sync the "
        "source to try again."
    ),
    "sync_stopped_repeatedly": gettext_noop(
        "Indexing was stopped %(count)s times before it finished. The content may be too "
        "large: split it, then sync the source to try again."
    ),
    "stored_file_missing": gettext_noop("The stored file is missing. Upload it again."),
    "search_model_changed": gettext_noop(
        "The search model was changed during this sync. Sync the source again."
    ),
    "files_not_readable_now": gettext_noop(
        "Files cannot be read at the moment. Try again in a minute."
    ),
    "reading_not_protected": gettext_noop(
        "Files and web pages are not read on this server at the moment: a protection that "
        "keeps them apart from other data is missing. The server's operator has to turn it "
        "on, or allow reading without it. What was indexed before still answers."
    ),
    "files_not_storable_now": gettext_noop(
        "Files cannot be stored or fetched at the moment. Try again in a minute."
    ),
    "sync_goes_on_of_total": gettext_noop(
        "%(done)s of about %(total)s documents were read. The next sync continues from there."
    ),
    "sync_goes_on": gettext_noop(
        "%(done)s documents were read. The next sync continues from there."
    ),
    "old_version_answers": gettext_noop("The previous version keeps answering."),
    "document_read_of_total": gettext_noop(
        "%(done)s of about %(total)s documents was read. The next sync continues from there."
    ),
    "document_read": gettext_noop(
        "%(done)s document was read. The next sync continues from there."
    ),
    "next_try": gettext_noop("Next automatic try: %(time)s UTC."),
    "plan_passages_used_up": gettext_noop(
        "Your %(name)s plan holds %(limit)s passages, and they are used up. Delete sources, "
        "or change the plan."
    ),
    "plan_places_full": gettext_noop(
        "Your %(name)s plan's limit of connected sources (%(limit)s) is reached. Delete "
        "one, or change the plan."
    ),
    # Kinds of files, and files within files
    "nothing_read_in_file": gettext_noop(
        "Nothing in this file could be read. %(name)s: %(reason)s"
    ),
    "file_type_unknown": gettext_noop(
        "The type of this file is unknown. Supported types: %(names)s."
    ),
    "file_ending_unsupported": gettext_noop(
        "Files ending in %(ending)s are not supported. Supported types: %(names)s."
    ),
    "file_ending_contradicts": gettext_noop(
        "The name of this file ends in %(ending)s, but its content is %(kind)s."
    ),
    "file_name_contradicts": gettext_noop(
        "The name of this file says %(name)s, but its content is not %(kind)s."
    ),
    "file_is_other_image": gettext_noop(
        "This is an image in a format that we do not read. Supported types: %(names)s."
    ),
    "file_is_postscript": gettext_noop("This is a PostScript file. Supported types: %(names)s."),
    "file_is_compressed": gettext_noop("This is a compressed file. Supported types: %(names)s."),
    "file_is_program": gettext_noop("This is a program. Supported types: %(names)s."),
    "too_large_for_limit": gettext_noop("It is too large. The limit is %(limit)s MB."),
    "files_beyond_limit": gettext_noop(
        "Only the first %(limit)s files in it were read; %(count)s were not. Upload the "
        "others separately."
    ),
    "archive_too_large": gettext_noop(
        "It was not unpacked because the files in this archive exceed %(limit)s MB in "
        "total. Upload it separately."
    ),
    "archive_overlaps": gettext_noop(
        "This archive was not opened: its files overlap, which normal programs never do. "
        "Pack it again."
    ),
    "protected": gettext_noop(
        "It is protected with a password. Remove the protection and upload it again."
    ),
    "compression_unknown": gettext_noop(
        "It is compressed with a method that we cannot read. Pack it again as an ordinary "
        "ZIP, or upload it separately."
    ),
    "damaged_in_archive": gettext_noop("It is damaged in the archive and could not be unpacked."),
    "not_a_message": gettext_noop(
        "This is not an e-mail: it has no sender or recipient. Save it again in the e-mail program."
    ),
    "message_encrypted": gettext_noop(
        "This message is encrypted or sealed with a signature. Open it in the e-mail "
        "program, save its text and upload that."
    ),
    "message_part_encrypted": gettext_noop(
        "Part of this message was not read: it is encrypted or sealed with a signature."
    ),
    "message_too_complex": gettext_noop(
        "This message has more than %(parts)s parts, or parts nested more than %(depth)s "
        "deep; these were not read."
    ),
    "message_layout_too_complex": gettext_noop(
        "The text of this message was read without its layout, which is too complex."
    ),
    "message_cut_off": gettext_noop(
        "The end of this message is missing from the file and was not read."
    ),
    "message_damaged": gettext_noop("This message is damaged or incomplete and could not be read."),
    "attachment_is_object": gettext_noop(
        "It is an object of another program, not a file. Save it as a file and attach that."
    ),
    "attachment_is_link": gettext_noop("It is a link to a file stored elsewhere."),
    "message_nested_too_deep": gettext_noop("It is nested in too many messages."),
    "message_parts_lost": gettext_noop("Parts of this message may be missing: it is damaged."),
    "message_layout_damaged": gettext_noop(
        "The text of this message was read without its layout, which is damaged."
    ),
    "nothing_inside": gettext_noop("It contains no file that could be read."),
    "file_nested_too_deep": gettext_noop(
        "It is nested in too many files and was not opened. Upload it separately."
    ),
    "too_many_files_inside": gettext_noop(
        "It was not read: only %(limit)s files within one file are read. Upload it separately."
    ),
    "too_much_unpacked": gettext_noop(
        "It was not read: together with the files before it, it exceeds %(limit)s MB. "
        "Upload it separately."
    ),
    "too_many_passages_inside": gettext_noop(
        "It was not read: together with the files before it, it exceeds %(limit)s passages. "
        "Upload it separately."
    ),
    "type_not_read": gettext_noop("Files of this type cannot be read."),
    "no_text": gettext_noop("It has no text that can be indexed."),
    "too_large_by_size": gettext_noop("It is too large: %(size)s MB. The limit is %(limit)s MB."),
    "too_large": gettext_noop("It is too large."),
    "file_over_limit": gettext_noop("The file is larger than %(limit)s MB."),
    "image_over_limit": gettext_noop("The image is larger than %(limit)s MB."),
    # Accounts elsewhere (sources/connectors, sources/oauth)
    "it_answers_status": gettext_noop("It answers with HTTP %(status)s."),
    "origin_unreadable": gettext_noop("%(label)s cannot be read: %(reason)s"),
    "origin_not_answering": gettext_noop("%(label)s does not answer at the moment: %(reason)s"),
    "origin_answers_oddly": gettext_noop("%(label)s gives unexpected answers. Try again later."),
    "origin_silent": gettext_noop("%(label)s does not answer. Try again later."),
    "origin_answer_unreadable": gettext_noop(
        "%(label)s sent an answer that cannot be read. Try again later."
    ),
    "origin_answer_unreadable_now": gettext_noop("%(label)s sent an answer that cannot be read."),
    "origin_busy": gettext_noop("%(label)s is busy and asks us to wait %(count)s min."),
    "origin_refused_request": gettext_noop(
        "%(label)s answered one of our requests with HTTP %(status)s."
    ),
    "listing_refused": gettext_noop(
        "%(reason)s Check what the connected account may read, then sync again."
    ),
    "too_many_accounts_checked": gettext_noop(
        "Too many accounts are being checked at the moment. Try again in a minute."
    ),
    "invalid_characters": gettext_noop("It contains invalid characters."),
    "id_not_storable": gettext_noop(
        "Its ID cannot be stored: it is too long or contains invalid characters."
    ),
    "account_refused": gettext_noop(
        "%(label)s no longer accepts the connected account. Connect it again."
    ),
    "account_refused_by_name": gettext_noop(
        "%(label)s no longer accepts the connection of %(account)s: it was ended there or "
        "has expired. Connect the account again."
    ),
    "connection_ended": gettext_noop(
        "%(label)s has ended the connection. Connect the account again."
    ),
    "server_refused": gettext_noop(
        "%(label)s refuses this server (%(name)s). Please tell its operator."
    ),
    "credentials_unreadable": gettext_noop(
        "The credentials of this account can no longer be read here. Connect it again."
    ),
    "account_disconnected": gettext_noop("The account was disconnected. Connect one again."),
    "account_disconnected_here": gettext_noop(
        "The account was disconnected here. Connect one again."
    ),
    "account_needs_reconnecting": gettext_noop("The account must be connected again."),
    "sign_in_expired": gettext_noop(
        "This sign-in has expired or was used already. Connect the account again."
    ),
    "sign_in_without_right": gettext_noop(
        "The account was not connected, because permission to read it was not given."
    ),
    "sign_in_failed": gettext_noop("The account was not connected. Connect it again."),
    "sign_in_unconfirmed": gettext_noop(
        "%(label)s did not confirm the sign-in. Connect the account again."
    ),
    "sign_in_rights_missing": gettext_noop(
        "%(label)s did not grant all the permissions we asked for. Connect the account "
        "again, and leave every box ticked."
    ),
    "sign_in_without_owner": gettext_noop(
        "%(label)s did not say whose account this is. Connect it again."
    ),
    "other_account": gettext_noop(
        "You signed in as %(other)s, but %(account)s was connected before. Sign in to that "
        "account, or replace it with this one."
    ),
    "no_answer_in_time": gettext_noop(
        "There was no answer in time. Check the address, or try again later."
    ),
    "field_required": gettext_noop("This field is required."),
    "too_many_characters": gettext_noop("At most %(limit)s characters."),
    "too_many_chosen": gettext_noop("Choose at most %(limit)s entries."),
    "chosen_unknown": gettext_noop("Something you chose no longer exists. Choose again."),
    "nothing_to_choose": gettext_noop("Nothing can be chosen for this source."),
    "choose_what_to_read": gettext_noop("Choose what to read."),
    "field_unknown": gettext_noop("There is no field “%(name)s”. The fields are: %(names)s."),
    "choose_value": gettext_noop("Must be one of: %(choices)s."),
    "account_may_not": gettext_noop("%(reason)s Check what the connected account may read."),
    "reconnect_source": gettext_noop("%(reason)s Delete the source, and connect it again."),
    "try_later": gettext_noop("%(reason)s Try again later."),
    "sign_in_failed_at": gettext_noop("The sign-in of %(label)s failed: %(reason)s"),
    "connection_not_taken": gettext_noop(
        "Sources of this type are connected in the dashboard, not here."
    ),
    # Google Drive
    "drive_right_missing": gettext_noop(
        "Google Drive was connected without permission to see and download files. Connect "
        "the account again, and leave that box ticked."
    ),
    "drive_file_gone": gettext_noop(
        "This is no longer in Google Drive, or no longer shared with the connected account."
    ),
    "drive_choice_gone": gettext_noop(
        "You chose this, but it is gone: deleted, in the trash, or no longer shared with "
        "the connected account."
    ),
    "drive_shortcut_broken": gettext_noop(
        "This shortcut leads to something that was deleted, is in the trash, or is not "
        "shared with the connected account."
    ),
    "drive_download_forbidden": gettext_noop(
        "Its owner does not allow the connected account to download it."
    ),
    "drive_export_too_large": gettext_noop(
        "Google exports documents of up to 10 MB, and this one is larger. Split it, or "
        "download it there and upload it as a file."
    ),
    "drive_file_harmful": gettext_noop(
        "Google considers this file harmful and does not allow downloading it."
    ),
    "changed_while_read": gettext_noop(
        "It was changed while it was being read. The next sync will read it."
    ),
    # OneDrive and SharePoint
    "gone_or_forbidden": gettext_noop("It is gone, or the connected account may not read it."),
    "download_forbidden": gettext_noop("The connected account may not download it."),
    "removed_or_forbidden": gettext_noop(
        "It was removed, or the connected account may no longer read it."
    ),
    "locked": gettext_noop("It is locked there. The next sync will try again."),
    "nothing_chosen": gettext_noop("Nothing is chosen yet. Choose what to read, then sync."),
    "too_many_files": gettext_noop(
        "There are more files than one source can hold. Choose fewer folders."
    ),
    "onenote_not_read": gettext_noop(
        "OneNote notebooks cannot be read. Export this one as PDF or DOCX, and keep that "
        "file there."
    ),
    "malware_found": gettext_noop("Microsoft found malware in it."),
    "download_interrupted": gettext_noop(
        "%(label)s interrupted the download. The next sync will try again."
    ),
    # Notion
    "page_without_own_text": gettext_noop("The page has no text of its own."),
    "notion_list_cut": gettext_noop(
        "Notion lists at most 10,000 pages: those beyond were not read."
    ),
    "notion_page_unshared": gettext_noop("The page is no longer shared."),
    "notion_page_forbidden": gettext_noop("Notion does not let this server read the page."),
    "origin_list_unreadable": gettext_noop(
        "%(label)s sent a list that cannot be read. Try again later."
    ),
    "origin_without_owner": gettext_noop(
        "%(label)s does not say whose account it is. Try again later."
    ),
    "too_many_blocks": gettext_noop(
        "It is too large: at most %(count)s blocks of a page are read. Split it."
    ),
    "notion_blocks_left_out": gettext_noop("Not read: %(names)s."),
    # JSON over HTTPS
    "api_not_connected": gettext_noop(
        "No address is connected to this source. Delete it, and connect the API again."
    ),
    "nothing_at_address": gettext_noop(
        "There is nothing at this address (HTTP 404). Check it for typing errors."
    ),
    "address_leads_on": gettext_noop("This address leads to %(target)s. Enter that one."),
    "https_only": gettext_noop("Only addresses that begin with https:// are read."),
    "choose_one_of": gettext_noop("Choose one of: %(choices)s."),
    "credentials_needed": gettext_noop("Enter the credentials."),
    "list_needs_credentials": gettext_noop(
        "%(label)s does not accept these credentials (HTTP 401)."
    ),
    "list_forbidden": gettext_noop("%(label)s does not allow us to read this list (HTTP 403)."),
    "printable_ascii_only": gettext_noop("Use printable ASCII characters only."),
    "header_name_needed": gettext_noop("Enter the name of a header, such as X-Api-Key."),
    "parameter_name_needed": gettext_noop("Enter the name of a parameter, such as page."),
    "user_name_needed": gettext_noop("Enter a user name without a colon."),
    "list_cut_by_limit": gettext_noop(
        "The list has more than %(limit)s items: the first %(count)s are read."
    ),
    "list_repeats_items": gettext_noop(
        "The API returns the same items again. Check how the next page is requested, and "
        "the name of its parameter."
    ),
    "item_id_repeated": gettext_noop(
        "Another item has the same ID, %(id)s: only the first one is read."
    ),
    "list_page_too_large": gettext_noop(
        "A page of the list is larger than 10 MB. Request fewer items per page: most APIs "
        "have a parameter for that, which you can add to the address."
    ),
    "list_leads_elsewhere": gettext_noop(
        "The API's next page is at another address: %(target)s. Only pages at the address "
        "that you entered are read, because the credentials are not sent anywhere else."
    ),
    "list_repeats_page": gettext_noop(
        "The list does not end: the API leads back to a page that was read before. Check "
        "how the next page is requested."
    ),
    "list_too_many_pages": gettext_noop(
        "The list has more than %(limit)s pages. Request more items per page."
    ),
    "list_without_end": gettext_noop(
        "The list does not end: the API keeps offering more pages without items."
    ),
    "pointer_needs_slash": gettext_noop("A JSON Pointer begins with a slash."),
    "pointer_tilde": gettext_noop("In a JSON Pointer ~ is written ~0."),
    "text_too_long": gettext_noop("Its text is too long to be read."),
    "item_without_id": gettext_noop(
        "It has no ID at %(pointer)s. An ID is a text or number of up to %(limit)s "
        "characters that no other item has."
    ),
    "next_needed": gettext_noop("Enter where in the answer it is, such as /meta/next."),
    "id_needed": gettext_noop("Enter where in an item its ID is, such as /id."),
    "pointer_example": gettext_noop("%(reason)s For example: /data/%(name)s"),
    "no_list_at": gettext_noop("The answer has no list at %(pointer)s."),
    "no_list_but": gettext_noop("The answer has no list at %(pointer)s. It has %(names)s."),
    # Odoo
    "odoo_key_refused": gettext_noop(
        "Odoo no longer accepts the API key. It may have expired: connect a new one."
    ),
    "odoo_database_unknown": gettext_noop("Odoo does not know this database."),
    "odoo_not_found": gettext_noop(
        "There is no Odoo at this address. Copy it from your browser, with https://."
    ),
    "odoo_needs_field": gettext_noop("This version of Odoo (before 19) needs it."),
    "odoo_forbidden": gettext_noop("The API key's user may not read this in Odoo."),
    "odoo_database_silent": gettext_noop("Odoo's database does not answer. Try again later."),
    "odoo_nothing_chosen": gettext_noop(
        "Nothing is chosen that could be read. Choose what to read, then sync."
    ),
    "odoo_nothing_allowed": gettext_noop(
        "The API key's user may not read products, taxes or articles in Odoo."
    ),
    "odoo_not_connected": gettext_noop(
        "No shop is connected to this source. Connect one, then sync."
    ),
    "filter_field_unknown": gettext_noop("The filter uses a field that does not exist: %(name)s."),
    "filter_too_long": gettext_noop("The filter is longer than %(limit)s characters."),
    "filter_not_json_example": gettext_noop(
        "The filter is not valid JSON. Write it like this: %(example)s."
    ),
    "filter_not_json": gettext_noop("The filter is not valid JSON."),
    "filter_not_list": gettext_noop("The filter is not a list. Write it like this: %(example)s."),
    "filter_condition_wrong": gettext_noop(
        "The filter has a condition that is not [field, operator, value]. Write it like "
        "this: %(example)s."
    ),
    "filter_ends_early": gettext_noop(
        "The filter ends too early: “&” and “|” join two conditions, “!” takes one."
    ),
    "filter_form": gettext_noop(
        'Write the filter like this: {"product.template": [["sale_ok", "=", true]]}.'
    ),
    "odoo_fields_gone": gettext_noop(
        "None of the chosen fields exists any more, or the API key's user may not read "
        "them. Choose others."
    ),
    "odoo_refused": gettext_noop("Odoo refuses this: %(words)s"),
    "odoo_model_unknown": gettext_noop("“%(name)s” is not a model of Odoo, nor a field of one."),
    # WhatsApp Business
    "whatsapp_not_connected": gettext_noop(
        "No WhatsApp channel is connected to this source. Connect one to an agent, then sync."
    ),
    "whatsapp_refused": gettext_noop(
        "WhatsApp no longer accepts the connected account. Connect the agent's channel again."
    ),
    "whatsapp_right_missing": gettext_noop(
        "The system user may not read this. Give it the permissions "
        "whatsapp_business_management and catalog_management, create a new token, and "
        "connect the channel again."
    ),
    "whatsapp_gone": gettext_noop("It is gone, or the system user may not see it."),
    # OData
    "field_needed": gettext_noop("This field is needed."),
    "sign_in_kind_unknown": gettext_noop("This way to sign in does not exist."),
    "records_without_key": gettext_noop(
        "Records without a key were left out, because they cannot be told apart."
    ),
    "service_refuses_sign_in": gettext_noop("The service does not accept this sign-in."),
    "odata_not_found": gettext_noop(
        "There is no OData service at this address: it answers with HTTP %(status)s."
    ),
    "odata_nothing_chosen": gettext_noop("Nothing was chosen. Choose entity sets, then sync."),
    "odata_not_connected": gettext_noop(
        "No service is connected to this source. Connect one, then sync."
    ),
    "odata_not_offered": gettext_noop("The service no longer offers this."),
    "odata_not_permitted": gettext_noop("This cannot be read with this sign-in (HTTP %(status)s)."),
    "records_cut": gettext_noop("Only the first %(count)s records are read."),
    "odata_property_unknown": gettext_noop("%(label)s has no property %(name)s."),
    "account_may_not_read": gettext_noop("The connected account may not read this."),
    "odata_leads_elsewhere": gettext_noop(
        "The next page of %(label)s is on another server. Connect the service with the "
        "address that it uses itself."
    ),
    "origin_pages_without_end": gettext_noop("%(label)s keeps sending pages without end."),
    "origin_pages_too_large": gettext_noop(
        "%(label)s sends pages that are too large. Choose fewer properties."
    ),
    "origin_next_address_too_long": gettext_noop(
        "The next page of %(label)s has an address that is too long. Choose fewer properties."
    ),
    "record_without_text": gettext_noop("The record has no text that can be indexed."),
    "sign_in_answers_oddly": gettext_noop("The sign-in of %(label)s gives unexpected answers."),
    "sign_in_refuses_client": gettext_noop(
        "The sign-in of %(label)s refuses the client (%(name)s). Connect the service again."
    ),
    "odata_not_metadata": gettext_noop(
        "The answer at /$metadata does not describe an OData service."
    ),
    "odata_with_doctype": gettext_noop(
        "The answer at /$metadata declares a document type, which OData services do not need."
    ),
    "odata_too_old": gettext_noop(
        "This service uses an older version of OData. Version 4 is needed."
    ),
    "odata_set_unknown": gettext_noop("There is no entity set %(name)s. %(offer)s"),
    "odata_offers": gettext_noop("The service offers: %(names)s."),
    "odata_say_what_to_read": gettext_noop("Enter what to read. %(offer)s"),
    "odata_description_too_large": gettext_noop(
        "The description of %(label)s is too large: %(reason)s"
    ),
    # Channels and messengers (channels/, webhooks/)
    "channel_not_connected": gettext_noop(
        "The channel was not connected, and nothing was changed."
    ),
    "bot_token_refused": gettext_noop(
        "The messenger does not accept the bot token. Copy it again from BotFather and "
        "connect the channel again."
    ),
    "person_blocked_bot": gettext_noop(
        "This person blocked the bot, or closed their account or the chat."
    ),
    "webhook_refused": gettext_noop("The messenger refused the webhook: %(words)s"),
    "messenger_says": gettext_noop("The messenger says: %(words)s"),
    "phone_number_refused": gettext_noop(
        "The messenger does not accept the connection of this phone number."
    ),
    "person_not_reached": gettext_noop("The messenger does not deliver messages to this person."),
    "window_closed": gettext_noop(
        "This person last wrote more than 24 hours ago, so the messenger no longer lets us answer."
    ),
    "messenger_not_in_time": gettext_noop(
        "The messenger did not answer in time. Try again in a few minutes."
    ),
    "messenger_unreachable": gettext_noop(
        "The messenger cannot be reached at the moment. Try again in a few minutes."
    ),
    "bot_taken_over": gettext_noop(
        "This bot now answers for the agent “%(name)s”. Connect another bot here, or disconnect it."
    ),
    "webhook_signature_wrong": gettext_noop(
        "Calls with a wrong signature are coming in: someone else is sending them, or the "
        "secrets have changed. If messages do not arrive, connect the channel again."
    ),
    "visitors_unanswered": gettext_noop("Visitors are not being answered: %(reason)s"),
    "answers_delayed": gettext_noop(
        "Answers are delayed: questions are arriving faster than your plan's requests per minute."
    ),
    "messenger_answer_too_large": gettext_noop(
        "The messenger's answer is too large. Try again in a few minutes."
    ),
    "messenger_answers_oddly": gettext_noop(
        "The messenger gave an unexpected answer (HTTP %(status)s). Try again in a few minutes."
    ),
    "messenger_busy": gettext_noop("The messenger asks us to wait. Try again in %(count)s s."),
    "text_refused": gettext_noop("The messenger does not accept this text. It says: %(words)s"),
    "phone_number_id_wrong": gettext_noop("The phone_number_id consists of digits only."),
    "system_user_token_wrong": gettext_noop(
        "The system_user_token contains characters that a token never has."
    ),
    "answer_given_up": gettext_noop(
        "An answer could not be delivered for 24 hours, and was given up."
    ),
    "answer_too_late": gettext_noop(
        "An answer was not sent, because the messenger accepts answers only within "
        "%(hours)s hours of a person's last message."
    ),
    "answer_key_missing": gettext_noop(
        "An answer can no longer be decrypted here, and was not sent."
    ),
    "channel_key_missing": gettext_noop(
        "The secrets of this channel can no longer be decrypted here. Connect it again."
    ),
    "channel_stopped": gettext_noop(
        "%(reason)s No messages will be answered on this channel until you reconnect it."
    ),
    "chat_unanswerable": gettext_noop("A chat cannot be answered: %(reason)s"),
    "answer_refused": gettext_noop("The messenger refused an answer: %(reason)s"),
    "answer_failed": gettext_noop(
        "An answer could not be sent because of a problem on our side (%(kind)s)."
    ),
    "message_failed": gettext_noop(
        "A message could not be answered because of a problem on our side (%(kind)s)."
    ),
    "people_unanswered": gettext_noop("People are not being answered: %(reason)s"),
}
