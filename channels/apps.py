from collections.abc import Mapping

from django.apps import AppConfig
from django.utils.functional import Promise


class ChannelsConfig(AppConfig):
    name = "channels"

    def ready(self) -> None:
        from query.leads.channel_names import CHANNEL_NAMES

        CHANNEL_NAMES.append(name_surfaces)


def name_surfaces() -> Mapping[str, str | Promise]:
    from channels.surfaces.registry import SURFACES  # which loads what calls messengers

    return {kind: surface.name_in_text or surface.label for kind, surface in SURFACES.items()}
