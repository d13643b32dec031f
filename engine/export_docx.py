"""A meeting as a Word document: the few parts a .docx needs, written directly.

Source:
    ECMA-376 (Office Open XML), parts 1 and 2: WordprocessingML and packaging.
"""

from __future__ import annotations

import io
import re
import zipfile
from xml.sax.saxutils import escape

from engine.export_document import MeetingDocument, clock

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# XML 1.0 has no way to write these.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")

_TYPES = (
    f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>'
)
_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)
_DOCUMENT_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
)


def _style(name: str, title: str, size: int, extra: str = "") -> str:
    bold = "<w:b/>" if size > 22 else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/>'
        f'<w:basedOn w:val="Normal"/><w:pPr>{extra}<w:spacing w:before="{size * 8}" '
        f'w:after="80"/></w:pPr><w:rPr>{bold}<w:sz w:val="{size}"/></w:rPr></w:style>'
    )


_STYLES = (
    f'{_HEAD}<w:styles xmlns:w="{_W}"><w:style w:type="paragraph" w:default="1" '
    'w:styleId="Normal"><w:name w:val="Normal"/><w:pPr><w:spacing w:after="80"/></w:pPr>'
    '<w:rPr><w:sz w:val="22"/></w:rPr></w:style>'
    + _style("Title", "Title", 40)
    + _style("Heading1", "heading 1", 28, "<w:keepNext/>")
    + "</w:styles>"
)


def document(meeting: MeetingDocument) -> bytes:
    """The minutes and the transcript."""
    body = [_paragraph([(meeting.meeting.title, "")], "Title")]
    body.append(_paragraph([(meeting.facts, "grey")]))
    for heading, entries in meeting.minutes():
        body.append(_paragraph([(heading, "")], "Heading1"))
        for start, text in entries:
            body.append(_paragraph([(f"• {text} ", ""), (clock(start), "grey")]))
    body.append(_paragraph([("Transcript", "")], "Heading1"))
    for utterance, _ in meeting.spoken():
        name = f"{utterance.speaker}  " if utterance.speaker else ""
        body.append(
            _paragraph(
                [(name, "bold"), (f"{clock(utterance.start)}  ", "grey"), (utterance.text, "")]
            )
        )
    content = (
        f'{_HEAD}<w:document xmlns:w="{_W}"><w:body>{"".join(body)}<w:sectPr>'
        '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" '
        'w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body>'
        "</w:document>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in (
            ("[Content_Types].xml", _TYPES),
            ("_rels/.rels", _RELATIONS),
            ("word/document.xml", content),
            ("word/styles.xml", _STYLES),
            ("word/_rels/document.xml.rels", _DOCUMENT_RELATIONS),
        ):
            # A fixed date: the same meeting gives the same bytes.
            package.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), text)
    return buffer.getvalue()


def _paragraph(runs: list[tuple[str, str]], style: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    is_rtl = any(_RTL.search(text) for text, _ in runs)
    direction = "<w:bidi/>" if is_rtl else ""
    return f"<w:p><w:pPr>{named}{direction}</w:pPr>{''.join(_run(*run) for run in runs)}</w:p>"


def _run(text: str, look: str) -> str:
    looks = {"bold": "<w:b/>", "grey": '<w:color w:val="777777"/>', "": ""}
    rtl = "<w:rtl/>" if _RTL.search(text) else ""
    clean = escape(_FORBIDDEN.sub("", text))
    return f'<w:r><w:rPr>{looks[look]}{rtl}</w:rPr><w:t xml:space="preserve">{clean}</w:t></w:r>'
