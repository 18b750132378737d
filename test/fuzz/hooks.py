# Loaded by schemathesis (test/fuzz/main.ts): says who asks, and puts things that exist where a made-up id would find nothing.
import json
import os
import re
import unicodedata
import zlib
from urllib.parse import unquote

import schemathesis

with open(os.environ["POSTHORN_FUZZ_FACTS"]) as file:
    FACTS = json.load(file)

CURSORS = ("cursor",)
SESSION_COOKIE = FACTS["cookieName"]


def takes_session_alone(operation):
    security = operation.definition.raw.get("security", [])
    return len(security) > 0 and all(list(each) == ["session"] for each in security)


def is_public(operation):
    return operation.definition.raw.get("security", []) == []


# Some values are left as they were made up, always the same ones: what does not exist is to be asked for as well. schemathesis also
# finds ids in answers: those of the caller's own key and session among them, which must not be revoked under the other calls.
# Also one in a list, or with something around it: a service that reads it as the id would end the thing.
def holds(value, ids):
    return any(each in unquote(str(value)) for each in ids)


def is_left(value):
    if holds(value, FACTS["own"]):
        return False
    return not str(value).endswith(FACTS["exampleId"]) and zlib.crc32(repr(value).encode()) % 6 == 0


@schemathesis.auth(refresh_interval=None)
class Credentials:
    def get(self, case, ctx):
        return FACTS

    def set(self, case, data, ctx):
        if is_public(case.operation):
            return
        if takes_session_alone(case.operation):
            case.cookies[SESSION_COOKIE] = data["cookie"]
        else:
            case.headers["Authorization"] = "Bearer " + data["key"]


# The first thing of each kind is for reading and changing. No call may delete it, not even one with an id from an answer.
def is_kept(name, made, method):
    return method == "DELETE" and holds(made, FACTS["ids"].get(name, [])[:1])


def real(name, made, method):
    known = FACTS["ids"].get(name)
    if not known or (is_left(made) and not is_kept(name, made, method)):
        return made
    if method == "DELETE" and len(known) > 1:
        return known[1 + zlib.crc32(repr(made).encode()) % (len(known) - 1)]
    return known[0]


# JSON Schema would say it by a pattern on every text: no name, event type or key holds a control character, and no JSON a NUL.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


UNFIT = re.compile("[*,\\s\ufeff]")

# Names that no JSON of a caller may have (secure-json-parse), which JSON Schema would say for every object.
REFUSED_NAMES = ("__proto__", "constructor")


# Names of things, of which one that nobody can see is refused (src/kernel/values/text.ts): each language writes such a set in its
# own way.
SEEN = ("name", "organisation", "app")


def is_seen(text):
    return any(not each.isspace() and unicodedata.category(each) != "Cf" and each not in "\u115f\u2800\u3164" for each in text)


def printable_name(name):
    return "x" if name in REFUSED_NAMES else CONTROLS.sub("x", name)


def printable(value):
    if isinstance(value, str):
        return CONTROLS.sub("x", value)
    if isinstance(value, list):
        return [printable(each) for each in value]
    if isinstance(value, dict):
        shown = {printable_name(name): printable(part) for name, part in value.items()}
        return {name: "x" if name in SEEN and isinstance(part, str) and part and not is_seen(part) else part for name, part in shown.items()}
    return value


# Fields of which only some may stand together, which JSON Schema does not say.
def without_rivals(value):
    left_out = set()
    if "messages" in value:
        # Several messages, or the fields of one: whichever is whole.
        is_one = "eventType" in value and "payload" in value
        left_out.update(["messages"] if is_one else set(value) - {"messages"})
    if "delay" in value:
        left_out.add("deliverAt")
    if any(value.get(name) is not None for name in ("eventType", "payload", "metadata")):
        # A message that there is, or a sample. No message that is published has such a field.
        left_out.add("messageId")
    if value.get("status") in ("revoked", "disabled"):
        # Routes of their own, or the service itself.
        left_out.add("status")
    return {name: part for name, part in value.items() if name not in left_out}


def with_real(value, method):
    if isinstance(value, list):
        return [with_real(each, method) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {}
    value = without_rivals(value)
    for name, part in value.items():
        if name in FACTS["texts"] and isinstance(part, str):
            shown[name] = FACTS["texts"][name]
        elif name in FACTS["ids"] and name != "userId" and isinstance(part, str):
            shown[name] = FACTS["ids"][name][0] if not is_left(part) else part
        elif name == "eventType" and isinstance(part, str) and not is_left(part):
            # An event type has no *, no comma and no white space around it.
            shown[name] = UNFIT.sub("x", part)
        elif name in ("status", "environment") and "tier" in value:
            # Both follow from the credential itself.
            continue
        elif name in ("payload", "schema", "schemas", "headers", "metadata"):
            shown[name] = part
        else:
            shown[name] = with_real(part, method)
    return shown


# Fields that fit each other, of which none is changed alone.
TOGETHER = ({"trigger", "steps"},)


# A new thing gets all of the fields given for its operation, a change those that it names.
def with_given(label, body, case_id):
    given = FACTS["given"].get(label)
    # A real thing among them decides which of the others fit.
    if given is None or (is_left(case_id) and not any(name in FACTS["ids"] for name in given)):
        return body
    named = set(body).union(*(each for each in TOGETHER if each & set(body)))
    chosen = {name: value for name, value in given.items() if not label.startswith("PATCH") or name in named}
    kept = {name: value for name, value in body.items() if name not in chosen}
    return {**kept, **{name: value for name, value in chosen.items() if value is not None}}


def asked(name, made):
    # A * stands alone in such a pattern, or at its end behind a dot.
    return printable(made).replace("*", "x") if name in ("eventType", "eventTypes") and isinstance(made, str) else printable(made)


def is_positive(case):
    return case.meta is None or case.meta.generation.mode.value == "positive"


# At the last moment, so that the examples of the document get the same.
@schemathesis.hook
def before_call(ctx, case, kwargs):
    operation = case.operation
    if takes_session_alone(operation):
        case.headers["Sec-Fetch-Site"] = "same-origin"
        if is_positive(case):
            for name in ("Posthorn-App", "Posthorn-Environment"):
                case.headers.pop(name, None)
        case.headers.update(FACTS["names"])
    if operation.label in FACTS["ownAddress"]:
        # One client of many: the limit of one address is not what is tried here.
        case.headers["X-Forwarded-For"] = address_of(case)
    method = case.method.upper()
    if not is_positive(case):
        # A route may ignore the header or field that is wrong, and would then delete what later calls need.
        for name, made in (case.path_parameters or {}).items():
            if holds(made, FACTS["own"]) or is_kept(name, made, method):
                case.path_parameters[name] = real(name, made, method)
        return
    if operation.label == "POST /v1/sign-in" and isinstance(case.body, dict) and "email" in case.body:
        # One account of many: each has five tries.
        case.body["email"] = f"person{zlib.crc32(case.id.encode())}@example.com"
    if case.path_parameters:
        case.path_parameters = {name: real(name, made, method) for name, made in case.path_parameters.items()}
    if operation.label == "GET /v1/channels/{channelId}/stream" and "Last-Event-ID" in case.headers:
        if not is_left(case.headers["Last-Event-ID"]):
            case.headers["Last-Event-ID"] = FACTS["position"]
    if operation.label == "POST /v1/webhooks/{webhookId}":
        case.path_parameters = {"webhookId": FACTS["inbound"]["webhookId"]}
        case.headers.update(FACTS["inbound"]["headers"])
        # The document leaves the body to the sender. As bytes it would count as a body that does not fit the document, whose binary
        # body is a string.
        case.body = json.dumps({"id": case.id, "data": {"n": 1}})
    if isinstance(case.query, dict):
        case.query = {
            name: FACTS["ids"][name][0] if name in FACTS["ids"] and not is_left(made) else asked(name, made)
            for name, made in case.query.items()
            if name not in CURSORS
        }
    if isinstance(case.body, dict):
        case.body = with_real(printable(case.body), method)
        case.body = with_given(operation.label, case.body, case.id)
        if operation.path.startswith("/v1/channels/") and operation.path.endswith("/validate") and case.body.get("messages") is None:
            # One message is whole or is none.
            case.body = {"eventType": "order.created", "payload": {}, **case.body}
            case.body.pop("messages", None)
        if operation.path in ("/v1/messages/batch", "/v1/messages/transactional") and not is_left(case.id):
            # One channel that does not exist refuses all of the messages.
            for each in case.body.get("messages") or []:
                if isinstance(each, dict) and "channelId" in each:
                    each["channelId"] = FACTS["ids"]["channelId"][0]
        # The channel of the path, where a message names it again.
        channel = (case.path_parameters or {}).get("channelId")
        for each in [case.body, *(case.body.get("messages") or [])] if channel else []:
            if isinstance(each, dict) and "channelId" in each:
                each["channelId"] = channel


def address_of(case):
    number = zlib.crc32(case.id.encode())
    return f"198.{18 + number % 2}.{number // 2 % 256}.{number // 512 % 256}"
