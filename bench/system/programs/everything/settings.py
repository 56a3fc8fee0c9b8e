"""The product's, and the app that registers the suite's tools and resources."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as PRODUCT_APPS

INSTALLED_APPS = [*PRODUCT_APPS, "bench.system.programs.everything.apps.EverythingConfig"]
