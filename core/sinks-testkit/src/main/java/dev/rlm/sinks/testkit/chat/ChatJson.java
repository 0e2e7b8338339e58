package dev.rlm.sinks.testkit.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** An answer as OpenAI's JSON: whole, or in the pieces of a stream. */
final class ChatJson {
    private static final String HEAD =
            "{\"id\":\"chatcmpl-1\",\"object\":\"%s\",\"created\":1,\"model\":\"scripted\",\"choices\":[";

    private final ChatAnswer answer;

    ChatJson(ChatAnswer answer) {
        this.answer = answer;
    }

    String whole() {
        String tools = answer.tools.isEmpty()
                ? ""
                : ",\"tool_calls\":["
                        + answer.tools.stream()
                                .map(tool -> call(tool, tool.arguments()))
                                .collect(Collectors.joining(","))
                        + "]";
        String content = answer.text.isEmpty() && !answer.tools.isEmpty() ? "null" : quoted(answer.text);
        return head("chat.completion") + "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":" + content
                + reasoning(answer.reasoning) + tools + "}" + tokens(0, answer.responseIds.size())
                + ",\"finish_reason\":"
                + finishReason() + "}]" + promptIds() + usage() + members() + "}";
    }

    /** Returns the pieces that say something of the reply, in order. */
    List<String> pieces() {
        List<String> deltas = new ArrayList<>();
        cut(answer.reasoning).forEach(piece -> deltas.add("{" + reasoning(piece).substring(1) + "}"));
        cut(answer.text).forEach(piece -> deltas.add("{\"content\":" + quoted(piece) + "}"));
        for (int i = 0; i < answer.tools.size(); i++) {
            toolDeltas(i, answer.tools.get(i), deltas);
        }
        List<String> pieces = new ArrayList<>();
        for (int i = 0; i < deltas.size(); i++) {
            int to = i == deltas.size() - 1 ? Integer.MAX_VALUE : i + 1;
            pieces.add(chunk(deltas.get(i) + tokens(i, to), "null"));
        }
        return pieces;
    }

    private void toolDeltas(int index, ChatAnswer.Tool tool, List<String> deltas) {
        String start = "{\"tool_calls\":[{\"index\":" + index + ",";
        deltas.add(start + call(tool, "").substring(1) + "]}");
        cut(tool.arguments())
                .forEach(piece -> deltas.add(start + "\"function\":{\"arguments\":" + quoted(piece) + "}}]}"));
    }

    /** The piece that has the role alone. */
    String first() {
        return head("chat.completion.chunk") + "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]"
                + promptIds() + "}";
    }

    /** The pieces after those that say something: why it stopped, and the usage. */
    List<String> last() {
        List<String> last = new ArrayList<>();
        last.add(chunk("{}", finishReason()));
        if (!answer.usage.isEmpty() || !answer.members.isEmpty()) {
            last.add(head("chat.completion.chunk") + "]" + usage() + members() + "}");
        }
        return last;
    }

    private static String chunk(String delta, String finishReason) {
        return head("chat.completion.chunk") + "{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":" + finishReason
                + "}]}";
    }

    private static String head(String object) {
        return HEAD.formatted(object);
    }

    private static String call(ChatAnswer.Tool tool, String arguments) {
        return "{\"id\":" + quoted(tool.id()) + ",\"type\":\"function\",\"function\":{\"name\":" + quoted(tool.name())
                + ",\"arguments\":" + quoted(arguments) + "}}";
    }

    private static String reasoning(String text) {
        return text.isEmpty() ? "" : ",\"reasoning_content\":" + quoted(text);
    }

    private String finishReason() {
        if (!answer.saysWhy) {
            return "null";
        } else if (answer.finishReason != null) {
            return quoted(answer.finishReason);
        }
        return answer.tools.isEmpty() ? "\"stop\"" : "\"tool_calls\"";
    }

    /** Those of the reply's tokens from one place up to another. */
    private String tokens(int from, int to) {
        List<Integer> ids = part(answer.responseIds, from, to);
        List<Double> logarithms = part(answer.logProbabilities, from, to);
        String json = ids.isEmpty() ? "" : ",\"token_ids\":" + ids;
        return logarithms.isEmpty()
                ? json
                : json + ",\"logprobs\":{\"content\":["
                        + logarithms.stream()
                                .map(value -> "{\"token\":\"t\",\"logprob\":" + value + ",\"top_logprobs\":[]}")
                                .collect(Collectors.joining(","))
                        + "]}";
    }

    private static <T> List<T> part(List<T> all, int from, int to) {
        return all.subList(Math.min(from, all.size()), Math.min(to, all.size()));
    }

    private String promptIds() {
        return answer.promptIds.isEmpty() ? "" : ",\"prompt_token_ids\":" + answer.promptIds;
    }

    private String usage() {
        return answer.usage.isEmpty() ? "" : ",\"usage\":" + answer.usage;
    }

    private String members() {
        return answer.members.stream().map(member -> "," + member).collect(Collectors.joining());
    }

    private List<String> cut(String text) {
        List<String> pieces = new ArrayList<>();
        for (int from = 0; from < text.length(); ) {
            int to = (int) Math.min(text.length(), (long) from + answer.pieceLength);
            pieces.add(text.substring(from, to));
            from = to;
        }
        return pieces;
    }

    static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
