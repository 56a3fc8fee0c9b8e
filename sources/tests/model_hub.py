"""A stand-in for the Hugging Face hub: answers its client over HTTP (huggingface_hub 0.36)."""

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class ModelHub(ThreadingHTTPServer):
    """Whatever repository is asked for, it has these files. `stated_sha256` is what it says of
    model.bin; without it, the truth.
    """

    def __init__(self, files: dict[str, bytes], stated_sha256: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.stated_sha256 = stated_sha256
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: ModelHub

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        if self.path.startswith("/api/models/"):
            names = [{"rfilename": name} for name in self.server.files]
            content = json.dumps({"id": "any/model", "sha": COMMIT, "siblings": names}).encode()
            return self.send_head(content, {"Content-Type": "application/json"})
        name = self.path.rpartition("/")[2]
        content = self.server.files[name]
        sha256 = hashlib.sha256(content).hexdigest()
        if name == "model.bin":
            sha256 = self.server.stated_sha256 or sha256
        return self.send_head(content, {"ETag": f'"{sha256}"', "X-Repo-Commit": COMMIT})

    def send_head(self, content: bytes, headers: dict[str, str]) -> bytes:
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        return content

    def log_message(self, *args: object) -> None:
        """Silent."""
