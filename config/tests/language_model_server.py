"""A stand-in for llama.cpp's server: `python -m config.tests.language_model_server PORT [SECONDS]`.
It loads for SECONDS, then says one thing."""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAID = "The boat to Ons island leaves at nine from the old pier."


class Handler(BaseHTTPRequestHandler):
    ready_at = 0.0

    def do_GET(self) -> None:
        self.send(200 if time.monotonic() >= self.ready_at else 503, {"status": "ok"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": SAID}
        self.send(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    def send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    port, *seconds = map(float, sys.argv[1:])
    Handler.ready_at = time.monotonic() + sum(seconds)
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
