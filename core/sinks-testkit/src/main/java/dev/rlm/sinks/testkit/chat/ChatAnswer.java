package dev.rlm.sinks.testkit.chat;

import dev.rlm.sinks.testkit.fault.Gate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answer of the server to a request, with its faults. The same answer is sent whole or as a stream, as the request asks
 * for it. A stream begins with a piece that has the role alone; each <em>piece</em> counted here is one that says
 * something: part of the reasoning, the text, or a tool's call. Sent whole, a body has two pieces, its halves.
 *
 * <p>It is to be set up before the server is given it; the server may be given it several times.
 */
public final class ChatAnswer {
    final Map<String, String> headers = new LinkedHashMap<>();
    final List<Tool> tools = new ArrayList<>();
    final List<String> members = new ArrayList<>();
    final int status;
    final @Nullable String body;
    final String text;
    String contentType = "application/json";
    String reasoning = "";
    String usage = "";
    List<Integer> promptIds = List.of();
    List<Integer> responseIds = List.of();
    List<Double> logProbabilities = List.of();

    @Nullable
    String finishReason;

    boolean saysWhy = true;
    boolean done = true;
    int pieceLength = Integer.MAX_VALUE;
    int cutAfter = Integer.MAX_VALUE;
    int malformedAfter = Integer.MAX_VALUE;
    int stallAfter = Integer.MAX_VALUE;

    @Nullable
    Gate early;

    @Nullable
    Gate gate;

    private ChatAnswer(int status, @Nullable String body, String text) {
        this.status = status;
        this.body = body;
        this.text = text;
    }

    /** A reply of that text; empty where it asks for tools alone. */
    public static ChatAnswer text(String text) {
        return new ChatAnswer(200, null, text);
    }

    /** An error in OpenAI's form. */
    public static ChatAnswer refusal(int status, String message) {
        String type = status == 429 ? "rate_limit_error" : "server_error";
        return raw(
                status,
                "application/json",
                "{\"error\":{\"message\":" + ChatJson.quoted(message) + ",\"type\":\"" + type + "\",\"code\":" + status
                        + "}}");
    }

    /** A body that is sent as it is, whether or not a stream was asked for. */
    public static ChatAnswer raw(int status, String contentType, String body) {
        ChatAnswer answer = new ChatAnswer(status, body, "");
        answer.contentType = contentType;
        return answer;
    }

    public ChatAnswer header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Asks for a tool; in order. The arguments are sent as they are, be they JSON or not. */
    public ChatAnswer tool(String id, String name, String arguments) {
        tools.add(new Tool(id, name, arguments));
        return this;
    }

    /** Sets what a reasoning model thinks before it speaks ({@code reasoning_content}). */
    public ChatAnswer reasoning(String value) {
        reasoning = value;
        return this;
    }

    /** Sets the number of tokens it took. In a stream it comes last, in a piece of its own. */
    public ChatAnswer usage(long input, long output) {
        return usage("{\"prompt_tokens\":%1$d,\"completion_tokens\":%2$d,\"total_tokens\":%3$d}"
                .formatted(input, output, input + output));
    }

    /** The same as JSON, right or wrong. */
    public ChatAnswer usage(String json) {
        usage = json;
        return this;
    }

    /**
     * Token ids as vLLM gives them, and log probabilities. Of a stream each piece has one, and the last one the rest.
     */
    public ChatAnswer tokens(List<Integer> prompt, List<Integer> response, List<Double> logarithms) {
        promptIds = List.copyOf(prompt);
        responseIds = List.copyOf(response);
        logProbabilities = List.copyOf(logarithms);
        return this;
    }

    /**
     * A further member of the reply, such as {@code "metadata":{"weight_version":"7"}}; in a stream, of its last
     * piece.
     */
    public ChatAnswer member(String json) {
        members.add(json);
        return this;
    }

    /** Sets the reason why it stopped; unless set {@code tool_calls} or, without any, {@code stop}. */
    public ChatAnswer finish(String reason) {
        finishReason = reason;
        return this;
    }

    /** Does not say why it stopped. */
    public ChatAnswer withoutFinish() {
        saysWhy = false;
        return this;
    }

    /** Ends a stream without {@code [DONE]}. */
    public ChatAnswer withoutDone() {
        done = false;
        return this;
    }

    /** Cuts reasoning, text and arguments of a stream into pieces of so many characters. */
    public ChatAnswer pieces(int characters) {
        pieceLength = characters;
        return this;
    }

    /** Waits before it sends anything at all. */
    public ChatAnswer stallEarly(Gate until) {
        early = until;
        return this;
    }

    /** Waits after so many pieces. */
    public ChatAnswer stallAfter(int pieces, Gate until) {
        stallAfter = pieces;
        gate = until;
        return this;
    }

    /** Closes the connection after so many pieces. */
    public ChatAnswer cutAfter(int pieces) {
        cutAfter = pieces;
        return this;
    }

    /** Sends what is no JSON after so many pieces of a stream. */
    public ChatAnswer malformedAfter(int pieces) {
        malformedAfter = pieces;
        return this;
    }

    /** A call of a tool. */
    record Tool(String id, String name, String arguments) {}
}
