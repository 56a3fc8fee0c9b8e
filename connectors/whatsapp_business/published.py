"""The texts that a business publishes on WhatsApp. The fields:
developers.facebook.com/documentation/business-messaging/whatsapp (business-profiles, templates) and
developers.facebook.com/docs/marketing-api/reference/product-item, read 2026-11-22."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from connectors.whatsapp_business.graph import Graph, Node, is_id
from connectors.whatsapp_business.problems import MALFORMED
from reading.extractors.prose import clean_lines, row_text
from reading.passages import Block, ChunkLevel, Description, ExtractedDocument
from sources.connectors.remote import RemoteDocument, place_of, web_link
from sources.errors import OriginUnavailable

PROFILE_FIELDS = ("description", "about", "address", "email", "websites", "vertical")
TEMPLATE_FIELDS = ("id", "name", "language", "category", "components")
PRODUCT_FIELDS = ("id", "retailer_id", "name", "description", "price", "availability", "url")
PROFILE_LABELS = ("Description", "About", "Address", "Email", "Websites", "Industry")
PRODUCT_LABELS = ("Name", "Reference", "Price", "Availability", "Description")
VARIABLE = re.compile(r"\{\{\w{1,100}\}\}")  # of a template: {{1}}, {{order_id}}
TEXT_MAX_CHARS = 100_000
TITLE_MAX_CHARS = 500


def make_document(
    external_id: str, names: Sequence[str], lines: Sequence[str], *, link: str = ""
) -> RemoteDocument:
    """`names`: the place, the title last. The hash of the text is the version: both come with the
    list."""
    title = names[-1][:TITLE_MAX_CHARS]
    level = ChunkLevel.ROW if len(lines) == 1 else ChunkLevel.PARAGRAPH
    text = ExtractedDocument(
        title, tuple(Block(line, section_title=title) for line in lines if line), level
    )
    version = hashlib.sha256(repr(lines).encode()).hexdigest()
    told = Description(title, etag=version, place=place_of([*names[:-1], title]), link=link)
    return RemoteDocument(external_id, told, handle=text)


def read_profile(graph: Graph) -> RemoteDocument:
    """Raises as Graph.get, and OriginUnavailable for an answer that is not a profile."""
    number = graph.get(graph.number, fields="display_phone_number,verified_name")
    path = f"{graph.number}/whatsapp_business_profile"
    match graph.get(path, fields=",".join(PROFILE_FIELDS)).get("data"):
        case [dict(profile), *_]:
            told = [text_of(profile.get(name)) for name in PROFILE_FIELDS]
        case []:
            told = []
        case _:  # an error with status 200: without its list, the profile would be a name alone
            raise OriginUnavailable(MALFORMED)
    name, phone = text_of(number.get("verified_name")), text_of(number.get("display_phone_number"))
    labels = ("Name", "Phone number", *PROFILE_LABELS)
    line = row_text(labels, [name, phone, *told])
    return make_document("profile", ["Business profile", name or phone or "WhatsApp"], [line])


def make_template(choice: str, template: Node) -> RemoteDocument | None:
    """`choice`: the id of the choice. None for a template without text, or for sign-in codes."""
    if not is_id(template.get("id")) or template.get("category") == "AUTHENTICATION":
        return None
    components = template.get("components")
    texts = [
        VARIABLE.sub("…", text_of(each.get("text")))
        for each in (components if isinstance(components, list) else [])
        if isinstance(each, dict)
    ]
    lines = [line for text in texts for line in text.splitlines()]
    if not any(lines):
        return None
    name = text_of(template.get("name")) or template["id"]
    language = text_of(template.get("language"))
    title = f"{name} ({language})" if language else name
    return make_document(f"{choice}:{template['id']}", ["Templates", title], lines)


def make_product(choice: str, product: Node, *, catalogue: str) -> RemoteDocument | None:
    """`choice`: the id of the choice; `catalogue`: its name. None for a product without an id."""
    if not is_id(product.get("id")):
        return None
    names = ("name", "retailer_id", "price", "availability", "description")
    told = [text_of(product.get(name)) for name in names]
    title = told[0] or told[1] or product["id"]
    row = row_text(PRODUCT_LABELS, [" ".join(text.split()) for text in told])
    link = web_link(product.get("url"))
    return make_document(f"{choice}:{product['id']}", [catalogue, title], [row], link=link)


def text_of(value: object) -> str:
    """The text, or the texts of a list joined; "" for any other value."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text_of, value[:100])))
    return clean_lines(value[:TEXT_MAX_CHARS]) if isinstance(value, str) else ""
