"""The description of an OData service, as services write it and as they should not."""

import json
from typing import Any

import pytest

from reading.errors import UnreadableFile
from reading.extractors.odata.csdl import (
    DOCTYPE,
    NO_METADATA,
    OLD_VERSION,
    SAP_LABEL,
    extract,
)
from reasons import Reason

SAP = SAP_LABEL.partition("}")[0][1:]


def document(schema: str, *, version: str = "4.0", before: str = "") -> bytes:
    return (
        f'{before}<edmx:Edmx Version="{version}" xmlns:edmx="http://docs.oasis-open.org/odata/ns/'
        f'edmx" xmlns:sap="{SAP}"><edmx:DataServices><Schema Namespace="ns.shop" Alias="Self" '
        f'xmlns="http://docs.oasis-open.org/odata/ns/edm">{schema}</Schema>'
        "</edmx:DataServices></edmx:Edmx>"
    ).encode()


def sets(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(each) for each in extract(data).facts["sets"]]


KEY = '<Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32"/>'
CONTAINER = '<EntityContainer Name="C"><EntitySet Name="Items" EntityType="Self.Item"/>'


def test_a_set_has_its_keys_and_properties_and_those_of_its_base_type():
    described = sets(
        document(
            f'<EntityType Name="Thing" Abstract="true">{KEY}</EntityType>'
            '<EntityType Name="Item" BaseType="ns.shop.Thing">'
            '<Property Name="name" Type="Edm.String"/>'
            '<NavigationProperty Name="parts" Type="Collection(Self.Item)"/></EntityType>'
            f"{CONTAINER}</EntityContainer>"
        )
    )
    assert described == [
        {
            "name": "Items",
            "label": "",
            "keys": ["ID"],
            "properties": [["name", "Edm.String", ""], ["ID", "Edm.Int32", ""]],
        }
    ]


@pytest.mark.parametrize(
    "named",
    [
        '<Annotation Term="Common.Label" String=" Name of&#10;the item "/>',
        '<Annotation Term="com.sap.vocabularies.Common.v1.Label"><String>Name of the item</String>'
        "</Annotation>",
    ],
)
def test_labels_stand_in_annotations_inside_or_apart(named: str):
    name = '<Property Name="name" Type="Edm.String">{}</Property>'
    item = '<EntityType Name="Item">{}{}</EntityType>'
    apart = f'<Annotations Target="Self.Item/name">{named}</Annotations>'
    inside = document(f"{item.format(KEY, name.format(named))}{CONTAINER}</EntityContainer>")
    outside = document(f"{item.format(KEY, name.format(''))}{CONTAINER}</EntityContainer>{apart}")
    expected = ["name", "Edm.String", "Name of the item"]
    assert sets(inside)[0]["properties"][1] == expected
    assert sets(outside)[0]["properties"][1] == expected


def test_labels_of_sap_gateway_stand_in_an_attribute():
    described = sets(
        document(
            f'<EntityType Name="Item" sap:label="Article">{KEY}'
            '<Property Name="name" Type="Edm.String" sap:label="Short text"/></EntityType>'
            f"{CONTAINER}</EntityContainer>"
        )
    )
    assert described[0]["label"] == "Article"
    assert described[0]["properties"][1] == ["name", "Edm.String", "Short text"]


def test_the_label_of_a_set_is_not_that_of_a_property_of_its_name():
    label = '<Annotations Target="{}"><Annotation Term="Common.Label" String="{}"/></Annotations>'
    described = sets(
        document(
            f'<EntityType Name="Item">{KEY}<Property Name="Items" Type="Edm.Int32"/></EntityType>'
            f"{CONTAINER}</EntityContainer>"
            f"{label.format('Self.Item/Items', 'Pieces')}{label.format('Self.C/Items', 'Articles')}"
        )
    )
    assert described[0]["label"] == "Articles"
    assert described[0]["properties"][1] == ["Items", "Edm.Int32", "Pieces"]


def test_sets_that_cannot_be_read_are_left_out():
    assert (
        sets(
            document(
                '<EntityType Name="Item"><Property Name="name" Type="Edm.String"/></EntityType>'
                f'<EntityType Name="Odd">{KEY}<Property Name="a b" Type="Edm.String"/></EntityType>'
                '<EntityType Name="Loop" BaseType="Self.Loop"/>'
                f'{CONTAINER}<EntitySet Name="Odds" EntityType="Self.Odd"/>'
                '<EntitySet Name="Loops" EntityType="Self.Loop"/>'
                '<EntitySet Name="Lost" EntityType="Self.Nothing"/></EntityContainer>'
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", NO_METADATA),
        (b'{"value": []}', NO_METADATA),
        (b"<html><body>Sign in</body></html>", NO_METADATA),
        (document("", version="1.0"), OLD_VERSION),
        (document("", before='<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;">]>'), DOCTYPE),
        (document("", before='<!DOCTYPE a SYSTEM "file:///etc/passwd">'), DOCTYPE),
        (b"<a>" * 100_000, NO_METADATA),
    ],
    ids=["empty", "json", "page", "version 2", "entities", "external", "deep"],
)
def test_what_is_no_description_is_refused(data: bytes, refusal: Reason):
    with pytest.raises(UnreadableFile) as caught:
        extract(data)
    assert caught.value.reason == refusal
