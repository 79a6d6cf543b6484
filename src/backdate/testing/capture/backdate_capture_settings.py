"""Settings of Django for the tests of an application that has none of its own.

The applications and the module of addresses are named by variables; the rest is what ``startproject`` writes,
with a database in memory. Syntax of Python 2.7 to today's.
"""

import os

import django

SECRET_KEY = "for tests alone"  # noqa: S105 - nothing is signed with it that anybody keeps
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
INSTALLED_APPS += [name for name in os.environ.get("BACKDATE_DJANGO_APPS", "").split(",") if name]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
if django.VERSION < (1, 10):  # which warns of the old name
    MIDDLEWARE_CLASSES = MIDDLEWARE
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = os.environ.get("BACKDATE_DJANGO_URLS") or __name__
urlpatterns = []
SITE_ID = 1
STATIC_URL = "/static/"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = True
