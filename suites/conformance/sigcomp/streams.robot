*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Streams with record marking: RFC 3320, section 4.2.2; RFC 5049, sections 5 and 6. The input of an
...              endpoint is cut into pieces of any length; its output has one delimited message for each message of the
...              application.

Resource         imports.resource

Test Tags        scheme:sigcomp    level:must


*** Test Cases ***
A Call In Pieces Of One Octet
    [Documentation]    Expects that every message comes out, once.
    [Tags]    req:RFC3320-4.2.2-1    req:RFC5049-5-4    req:RFC5049-6-1
    A Call Should Be Streamed    basic-voice-call    1

A Call In Pieces Of 100 Octets
    [Documentation]    A 3GPP video call in pieces of 100 octets. Expects that every message comes out, once.
    [Tags]    req:RFC3320-4.2.2-1    req:RFC5049-5-4
    A Call Should Be Streamed    3gpp-video-call    100

A Call In Whole Messages
    [Documentation]    A call with each message in one piece. Expects that every message comes out, once.
    [Tags]    req:RFC3320-4.2.2-1
    A Call Should Be Streamed    push-to-talk    100000

One Message For Each
    [Documentation]    Compresses a 3GPP video call. Expects exactly one SigComp message for each of its messages.
    [Tags]    req:RFC3320-5-5    level:should    -level:must
    Each Message Should Be One On A Stream    3gpp-video-call

Several Messages In One Piece
    [Documentation]    Sends three messages, full of FF, at once. Expects three messages.
    [Tags]    req:RFC3320-4.2.2-1    req:RFC3320-4.2-1
    Several Messages Should Come Out Of One Piece

Half Of The Memory
    [Documentation]    Asks for the size of the UDVM's memory over a stream. Expects half of the decompression memory.
    [Tags]    req:RFC3320-7-2
    The UDVM Should Have Half Of The Memory On A Stream

A Plain Stream
    [Documentation]    Sends SIP messages over a stream that does not begin as SigComp does. Expects them as they came.
    [Tags]    req:RFC5049-5-2
    A Plain Stream Should Come Out As It Came

Reserved Codes
    [Documentation]    Sends FF 80, not quoted, after a whole message. Expects a failure of the message that it is in.
    [Tags]    req:RFC3320-4.2.2-2
    A Reserved Code Should Fail

Nothing Behind A Reserved Code
    [Documentation]    Sends a whole message after FF 80. Expects the stream to be over.
    [Tags]    req:RFC3320-4.2.2-3    level:should    -level:must
    A Broken Stream Should Be Over
