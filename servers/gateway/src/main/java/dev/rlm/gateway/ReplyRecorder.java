package dev.rlm.gateway;

import dev.rlm.json.Json;
import dev.rlm.json.chat.ChatApi;
import dev.rlm.json.chat.SseReader;
import dev.rlm.server.http.MemoryBudget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a reply while it is passed on, and records it at its end. Not for several threads. */
final class ReplyRecorder {
    private static final int MAX_ERROR = 2_000;
    private static final int MAX_EVENT = 8 << 20;
    private static final int COPIES = 3; // of an event until it is read

    private final ChatApi api;
    private final RecordedCall call;
    private final MemoryBudget.Share memory;
    private final long before; // size of that at the beginning
    private final int maxSize;
    private final int status;
    private final ExchangeKeys keys;
    private final String coding;
    private final boolean stream;
    private final ChatApi.ReplyStream events;
    private final SseReader sse;
    private ByteArrayOutputStream whole = new ByteArrayOutputStream();
    private boolean begun;
    private boolean last;
    private long kept; // of events
    private @Nullable String omitted;

    ReplyRecorder(
            ChatApi api, RecordedCall call, ExchangeKeys keys, MemoryBudget.Share memory, int maxSize, Response reply) {
        this.api = api;
        this.call = call;
        this.memory = memory;
        this.before = memory.size();
        this.maxSize = maxSize;
        this.status = reply.code();
        this.keys = keys;
        this.coding = reply.header("content-encoding", "identity").strip().toLowerCase(Locale.ROOT);
        this.stream = reply.header("content-type", "").toLowerCase(Locale.ROOT).startsWith("text/event-stream");
        this.events = api.stream();
        this.sse = new SseReader(this::event);
    }

    /** Returns whether events are read as they come, so that the last one is known by what it says. */
    boolean isReadAsItComes() {
        return stream && coding.equals("identity");
    }

    /** Returns whether the last event of a stream has come. */
    boolean hasLast() {
        return last;
    }

    void add(byte[] bytes, int length) {
        if (stream && !begun) {
            call.firstToken();
        }
        begun = true;
        if (omitted != null) {
            lookForLast(bytes, length);
        } else if (memory.size() + length > maxSize || !memory.take((long) length * (isReadAsItComes() ? COPIES : 1))) {
            omit("the reply is too long to be recorded whole", bytes, length);
        } else if (!isReadAsItComes()) {
            whole.write(bytes, 0, length);
        } else {
            sse.add(bytes, 0, length);
            if (sse.pending() > MAX_EVENT) {
                omitted = "an event of the stream is too long to be recorded";
            }
            account();
            if (omitted != null) {
                omit(omitted, bytes, length);
            }
        }
    }

    /** Takes as much memory as what is held of the stream. */
    private void account() {
        long held = before + kept + (long) COPIES * sse.pending();
        if (held <= memory.size()) {
            memory.shrinkTo(held);
        } else if (!memory.take(held - memory.size())) {
            omitted = "the reply is too long to be recorded whole";
        }
    }

    private void omit(String why, byte[] bytes, int length) {
        omitted = why;
        sse.clear();
        whole = new ByteArrayOutputStream();
        account();
        lookForLast(bytes, length);
    }

    /** Of a stream that is not recorded any more only its end is of interest. */
    private void lookForLast(byte[] bytes, int length) {
        last |= api.stream()
                .isLast(new String(bytes, 0, length, StandardCharsets.UTF_8)
                        .replace("data:", "")
                        .strip());
    }

    private void event(String data) {
        last |= events.isLast(data);
        if (data.startsWith("{") && omitted == null) {
            long size = memory.size();
            try {
                int some = events.add(Json.REPLY.object(data, this::takeTree));
                kept += some == ChatApi.ReplyStream.ALL ? memory.size() - size : some;
            } catch (JacksonException e) {
                omitted = "an event of the stream is no JSON object";
            } catch (IllegalStateException e) {
                omitted = "an event of the stream cannot be read: " + e.getMessage();
            }
            memory.shrinkTo(size);
        }
    }

    private void takeTree(int size) {
        if (!memory.take(size)) {
            throw new IllegalStateException("it holds too many values");
        }
    }

    /** Records the call as far as its reply has come. */
    void end(@Nullable String broken) {
        String error = broken;
        ObjectNode reply = null;
        try {
            reply = stream ? streamed() : status < 300 ? decoded() : null;
            if (error == null && stream && status < 300 && begun && omitted == null && !last && !events.tellsEnd()) {
                error = "the stream ended before the reply did";
            }
        } catch (IOException | JacksonException | IllegalStateException e) {
            error = error == null ? "the reply cannot be read: " + reason(e) : error;
        }
        if (status >= 300) {
            error = "HTTP " + status + excerpt();
        } else if (reply != null && isFailure(reply)) {
            JsonNode failure = reply.path(reply.has("error") ? "error" : "message");
            error = "the model failed: "
                    + (failure.isString()
                            ? failure.stringValue()
                            : failure.path("message").stringValue(""));
        }
        String told = error == null ? omitted : error;
        call.end(reply == null ? null : keys.takeOut(api.reply(reply)), told == null ? null : keys.without(told));
    }

    /** Returns whether a reply tells of a failure, as an object, a text, or in the form of old. */
    private static boolean isFailure(ObjectNode reply) {
        JsonNode error = reply.path("error");
        return error.isObject()
                || error.isString()
                || reply.path("object").stringValue("").equals("error");
    }

    private static String reason(Exception e) {
        return e instanceof JacksonException json ? Json.reason(json) : String.valueOf(e.getMessage());
    }

    private @Nullable ObjectNode streamed() throws IOException {
        if (!isReadAsItComes() && omitted == null) {
            byte[] bytes = bytes();
            sse.add(bytes, 0, bytes.length);
        }
        sse.end();
        return begun ? events.reply() : null;
    }

    private @Nullable ObjectNode decoded() throws IOException {
        if (omitted != null) {
            return null;
        }
        byte[] bytes = bytes();
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.startsWith("data:") || text.startsWith("event:")) { // a stream, whatever its type says
            sse.add(bytes, 0, bytes.length);
            sse.end();
            return events.reply();
        }
        return Json.REPLY.object(text, this::takeTree);
    }

    private byte[] bytes() throws IOException {
        return Codings.decoded(coding, whole.toByteArray(), maxSize, memory);
    }

    private String excerpt() {
        try {
            String text =
                    keys.without(new String(bytes(), StandardCharsets.UTF_8)); // some servers say which key was wrong
            return text.isBlank()
                    ? ""
                    : ": " + (text.length() <= MAX_ERROR ? text : text.substring(0, MAX_ERROR) + "…");
        } catch (IOException e) {
            return "";
        }
    }
}
