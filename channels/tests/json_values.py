"""Any JSON, for what must take it all."""

from collections.abc import Sequence

from hypothesis import strategies as st

from channels.surfaces.base import IncomingMessage, MessageKind
from channels.surfaces.reading import ID_MAX_CHARS

texts = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates too
numbers = st.integers() | st.just(10**4000) | st.just(2**63) | st.floats()
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def assert_fit_for_the_database(messages: Sequence[IncomingMessage]) -> None:
    for message in messages:
        for written in (message.provider_message_id, message.chat_id, message.text):
            written.encode()
            assert "\x00" not in written
        assert 0 < len(message.provider_message_id) <= ID_MAX_CHARS
        assert 0 < len(message.chat_id) <= ID_MAX_CHARS
        assert (message.kind is MessageKind.TEXT) == bool(message.text)
        assert abs(message.position) < 2**63
        assert message.sent_at.tzinfo is not None
        assert message.language in {"", "es", "en"}
