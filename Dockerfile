# backdate in a container, for macOS, Windows and machines without bubblewrap: docs/how-to/docker.md says how it is run.
# BASE is a Debian 12 or newer, or an Ubuntu 24.04 or newer.
ARG BASE=debian:bookworm
FROM ${BASE}

# bubblewrap is the sandbox, git reads sources; compilers and headers are what sdists of common projects want.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        bubblewrap ca-certificates git python3 python3-venv build-essential pkg-config python3-dev \
 && rm -rf /var/lib/apt/lists/*

COPY pyproject.toml README.md LICENSE /opt/source/
COPY src /opt/source/src
RUN python3 -m venv /opt/backdate \
 && /opt/backdate/bin/pip install --no-cache-dir /opt/source \
 && rm -rf /opt/source \
 && ln -s /opt/backdate/bin/backdate /usr/local/bin/backdate

# An ordinary user is enough. A project that is mounted belongs to another one, which git would refuse to read.
RUN git config --system --add safe.directory /project \
 && useradd --create-home --uid 1000 backdate \
 && mkdir /project /home/backdate/.cache && chown backdate: /project /home/backdate/.cache
USER backdate
VOLUME /home/backdate/.cache
WORKDIR /project
ENTRYPOINT ["backdate"]
CMD ["--help"]
