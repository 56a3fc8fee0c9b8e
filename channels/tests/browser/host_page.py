"""The page of a company that holds the widget."""

import html


def host_page(
    script: str, agent_id: object, *, head: str = "", language: str = "en", **options: str
) -> str:
    """A company's page with the one script tag; `options`: the tag's data-… attributes."""
    attributes = {"src": script, "data-agent": str(agent_id)}
    attributes |= {f"data-{name}": value for name, value in options.items()}
    written = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>A shop</title>{head}</head><body><h1>A shop</h1>"
        '<p><a href="/other">Another page</a></p>'
        f"<script {written} async></script></body></html>"
    )
