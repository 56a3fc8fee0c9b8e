"""Which class speaks a messenger's protocol."""

from __future__ import annotations

from channels.models import ChannelType
from channels.surfaces.base import Messenger
from channels.surfaces.messenger_a import MessengerA
from channels.surfaces.messenger_b import MessengerB

MESSENGERS: dict[str, type[Messenger]] = {
    ChannelType.MESSENGER_A: MessengerA,
    ChannelType.MESSENGER_B: MessengerB,
}
