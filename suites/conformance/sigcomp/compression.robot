*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Calls through an endpoint that compresses. The endpoint is the caller; its peer is the judge made from
...              the RFCs, with no more memory, cycles and state than the peer offers. Every message must come out octet
...              by octet, in both directions, and tshark's UDVM must read the same. The calls are the sequences of
...              maenpaa-2005 and others of the same structure, drawn by the run's seed. RFC 3320, section 5; RFC 4896,
...              section 8; RFC 5049.

Resource         imports.resource

Test Template    A Call Should Be Carried

Test Tags        scheme:sigcomp    level:must    req:RFC3320-5-1    req:RFC3320-5-3    req:RFC3320-5-4


*** Test Cases ***                      SEQUENCE                              MECHANISM
Basic Voice Call                        basic-voice-call                      default
Basic Video Call                        basic-video-call                      default
Push To Talk                            push-to-talk                          default
3GPP Video Call                         3gpp-video-call                       default
3GPP Video Call, Re-INVITE              3gpp-video-call-re-invite             default
3GPP Video Call, Reliable Re-INVITE     3gpp-video-call-re-invite-reliable    default
3GPP Registration                       3gpp-registration                     default
Another Basic Voice Call                basic-voice-call                      default             people=others
Another Basic Video Call                basic-video-call                      default             people=others
Another Push To Talk                    push-to-talk                          default             people=others
Another 3GPP Video Call                 3gpp-video-call                       default             people=others
Another 3GPP Registration               3gpp-registration                     default             people=others
Stateless Basic                         3gpp-video-call                       stateless-basic     people=others
Stateful Basic                          3gpp-video-call                       stateful-basic      people=others
Stateless Static                        3gpp-video-call                       stateless-static    people=others
Stateful Static                         3gpp-video-call                       stateful-static     people=others
Dynamic                                 3gpp-video-call                       dynamic
Dynamic, Other People                   3gpp-video-call-re-invite-reliable    dynamic             people=others
Shared                                  3gpp-video-call                       shared
Shared, Other People                    3gpp-video-call-re-invite-reliable    shared              people=others
Dynamic, DEFLATE                        3gpp-video-call                       dynamic             algorithm=deflate
Shared, DEFLATE                         3gpp-video-call                       shared              algorithm=deflate
Stateful Static, DEFLATE                3gpp-video-call                       stateful-static     algorithm=deflate
Dynamic, Linear Search                  basic-video-call                      dynamic             search=linear
Dynamic, Checkpoints                    3gpp-video-call                       dynamic             checkpoint_every=3
Dynamic, User Dictionary
    [Documentation]    The first message carries a text of this user uncompressed, and later messages are compressed
    ...    against it (RFC 3321, 5.4).
    3gpp-video-call    dynamic    user_dictionary=5349502f322e302f554450205b353535353a3a6161613a6262623a6363633a646464
Shared, Several Calls
    [Documentation]    State stays from call to call, of other people in the same compartment.
    basic-voice-call    shared    people=others    calls=4    state=16384
Dynamic, Little State Memory
    [Documentation]    The peer has state memory for a few items. Expects that the endpoint refers to no item that the
    ...    peer may have freed.
    [Tags]    req:RFC3320-5.1-2    req:RFC3320-5.1-1
    3gpp-video-call    dynamic    state=16384
Shared, Little State Memory
    [Documentation]    The peer of `Dynamic, Little State Memory`, with shared compression.
    [Tags]    req:RFC3320-5.1-2    req:RFC3320-5.1-1    req:RFC3321-5.2-2
    3gpp-video-call    shared    state=16384
No State Memory
    [Documentation]    A peer that keeps no state at all.
    [Tags]    req:RFC3320-5.1-2    req:RFC4896-10.2-1
    basic-video-call    default    state=0
Least Decompression Memory
    [Documentation]    A peer with the least that RFC 3320 allows: 2048 octets of decompression memory, no state
    ...    memory.
    [Tags]    req:RFC3320-5.1-2    req:RFC4896-10.2-1
    push-to-talk    default    memory=2048    state=0    refusals=yes
Much Memory And Few Cycles
    [Documentation]    Sends calls to a peer with much memory and the least cycles for each bit. The cycles, not the
    ...    memory, limit the state that the endpoint can use.
    [Tags]    req:RFC3320-5.1-2
    3gpp-video-call-re-invite-reliable    dynamic    people=others    calls=4    memory=65536    state=65536
    ...    cycles=16
    3gpp-video-call-re-invite-reliable    shared    people=others    calls=4    memory=65536    state=65536
    ...    cycles=16
Calls Become Shorter
    [Documentation]    Whole calls, bytecode and all. Expects fewer octets than without SigComp.
    [Tags]    req:RFC3320-5.2-1    level:should    -level:must    -req:RFC3320-5-1    -req:RFC3320-5-3
    ...       -req:RFC3320-5-4
    3gpp-video-call    default    shorter=yes
    3gpp-video-call    dynamic    shorter=yes
    3gpp-video-call    shared     shorter=yes
Default With Loss
    [Documentation]    Three messages in ten are lost, either way, and sent again, compressed anew.
    [Tags]    req:RFC3320-5.1-1    req:RFC5049-8-1
    3gpp-video-call    default    people=others    loss=0.3
Stateful Basic With Loss
    [Documentation]    The losses of `Default With Loss`, with the mechanism that keeps only bytecode.
    [Tags]    req:RFC3320-5.1-1    req:RFC5049-8-1
    basic-voice-call    stateful-basic    people=others    loss=0.3
Dynamic With Loss
    [Documentation]    The losses of `Default With Loss`, with dynamic compression. Expects that the endpoint refers
    ...    only to messages that are known to have arrived.
    [Tags]    req:RFC3320-5.1-1    req:RFC5049-8-1
    3gpp-video-call    dynamic    people=others    loss=0.3
Shared With Loss
    [Documentation]    The losses of `Default With Loss`, with shared compression. Expects that the endpoint refers to
    ...    no shared state that the peer has not announced.
    [Tags]    req:RFC3320-5.1-1    req:RFC3321-5.2-2    req:RFC5049-8-1
    3gpp-video-call    shared    people=others    loss=0.3
Several Calls
    [Documentation]    Calls that go round a small buffer many times. Expects that state is referred to by what it has.
    [Tags]    req:RFC3320-9.4.9-4
    3gpp-video-call-re-invite-reliable    dynamic    people=others    calls=3    memory=4096    state=16384
Several Calls, Checkpoints
    [Documentation]    Calls with memory for a few items, of which checkpoints stay until they are freed.
    [Tags]    req:RFC3320-5.1-2    req:RFC3320-5.1-1
    3gpp-video-call-re-invite-reliable    dynamic    people=others    calls=3    checkpoint_every=2    memory=4096
    ...    state=8192
Reordering
    [Documentation]    Each two messages arrive in the other order. Expects that all of them can be decompressed.
    [Tags]    req:RFC4896-8-1
    [Template]    Messages Should Survive Reordering
    default
    dynamic
Nothing Is Acknowledged
    [Documentation]    Half of the messages arrive, and the peer never answers. Expects that the messages that arrive
    ...    can be decompressed.
    [Tags]    req:RFC3320-5.1-1
    [Template]    Messages Should Rest On What Has Arrived
    default
    dynamic
First Is Acknowledged
    [Documentation]    All messages arrive, and the peer, with little state memory, answers only the first. Expects that
    ...    each can be decompressed, though the peer may have freed state.
    [Tags]    req:RFC3320-5.1-1
    [Template]    Messages Should Rest On What Is Still There
    default
    dynamic    state=4096
    shared    state=4096
Acknowledged Late
    [Documentation]    Each two messages arrive before their peer acknowledges the first and, later, the second; with
    ...    each answer it announces its dictionary. Expects that every message can be decompressed.
    [Tags]    req:RFC3320-5.1-1    req:RFC3320-9.4.9-4
    [Template]    Messages Should Follow Late Acknowledgements
    default
    dynamic
Sent Again
    [Documentation]    Messages are sent again, after they were lost and after they arrived. Expects that each copy can
    ...    be decompressed.
    [Tags]    req:RFC5049-8-1
    [Template]    Messages Sent Again Should Be Decompressed
    default
    dynamic
Reserved Addresses
    [Documentation]    A peer whose memory is not 0 at addresses 10 to 31, where a later version may have more Useful
    ...    Values. Expects that its messages can be decompressed there all the same.
    [Tags]    req:RFC3320-7.2-5
    [Template]    A Call Should Not Rest On Reserved Addresses
    default
    stateless-basic
    stateful-static
    dynamic
    shared
    dynamic    algorithm=deflate
Too Long A Message
    [Documentation]    Compresses 70,000 octets, more than a SigComp message can carry. Expects that compression fails,
    ...    and that the messages before and after are not affected.
    [Tags]    req:RFC3320-5.2-2
    [Template]    A Message That Is Too Long Should Be Refused
    default
