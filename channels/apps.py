from django.apps import AppConfig


class ChannelsConfig(AppConfig):
    name = "channels"

    def ready(self) -> None:
        from channels.surfaces.registry import SURFACES
        from query.leads.channel_names import CHANNEL_NAMES

        for kind, surface in SURFACES.items():
            CHANNEL_NAMES[kind] = surface.name_in_text or surface.label
