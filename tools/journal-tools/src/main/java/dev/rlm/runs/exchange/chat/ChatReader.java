package dev.rlm.runs.exchange.chat;

import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Recording;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads chats, one JSON object a run and line. Each message of the assistant is a step: a call of the model, which was
 * shown the messages before it, and the tools' answers that follow.
 */
public final class ChatReader implements RunReader {
    static final String MESSAGES = "messages";
    static final String PROMPT = "prompt";
    static final String COMPLETION = "completion";
    static final String TOOLS = "tools";
    static final String REWARD = "reward";
    public static final String REWARDS = "rewards";

    public static final int ID_DIGITS = 16;

    private static final String TRANSCRIPT = "transcript"; // gave the reward, as far as is known

    private final ImportDefaults defaults;

    public ChatReader(ImportDefaults defaults) {
        this.defaults = defaults;
    }

    @Override
    public void line(JsonObject line, Consumer<List<RunEvent>> runs) throws BadRecordException {
        List<JsonObject> messages = messages(line);
        Times times = Times.of(line, messages, defaults.now().get());
        List<ChatMessage> said = ChatMessages.of(messages, times, defaults);
        Content tools = tools(line.get(TOOLS));
        String runId = line.text(RunFields.RUN_ID, "");
        runs.accept(run(
                runId.isBlank() ? contentId(line) : runId,
                line,
                said,
                0,
                times,
                i -> call -> call.toolDefinitions(tools)));
    }

    /** Those of a line; where it has none, those of a prompt and of what completed it. */
    static List<JsonObject> messages(JsonObject line) throws BadRecordException {
        if (line.has(MESSAGES)) {
            return line.objects(MESSAGES);
        } else if (!line.has(PROMPT) || !line.has(COMPLETION)) {
            throw new BadRecordException(
                    "\"messages\", a list, or \"prompt\" and \"completion\", each a text or a list of messages");
        }
        List<JsonObject> messages = new ArrayList<>(messages(line, PROMPT, ChatMessage.USER));
        messages.addAll(messages(line, COMPLETION, ChatMessage.ASSISTANT));
        return messages;
    }

    private static List<JsonObject> messages(JsonObject line, String name, String role) throws BadRecordException {
        return line.get(name).isString()
                ? List.of(JsonObject.of(Map.of("role", role, "content", line.text(name, ""))))
                : line.objects(name);
    }

    /** A JSON array, or the text of one. */
    private @Nullable Content tools(JsonNode tools) throws BadRecordException {
        if (!tools.isString() && !tools.isArray() && !tools.isNull() && !tools.isMissingNode()) {
            throw new BadRecordException("\"tools\" to be a list, or the text of one");
        }
        String text = tools.isArray() ? Json.text(tools) : tools.stringValue("");
        return text.isBlank() || (tools.isEmpty() && tools.isArray()) ? null : defaults.content(text);
    }

    /**
     * The events of a run.
     *
     * @param line all that is told of it, but for what was said
     * @param from the first message that may be a step of the run, and not of another before it
     * @param calls adds to the call of the model that gave a message; {@code null} where none did
     */
    public List<RunEvent> run(
            String runId,
            JsonObject line,
            List<ChatMessage> said,
            int from,
            Times times,
            IntFunction<@Nullable Consumer<ModelCalledBuilder>> calls)
            throws BadRecordException {
        RunInfo run = info(runId, line, said, times);
        Recording recording = new Recording(run);
        steps(recording, said, from, times, run.task(), calls);
        return end(recording, line, said, times.end());
    }

    /** Adds the rewards and the end that a line tells; returns all events. */
    public List<RunEvent> end(Recording recording, JsonObject line, List<ChatMessage> said, Instant time)
            throws BadRecordException {
        Outcome outcome = outcome(line);
        rewards(recording, line, outcome, time);
        Boolean solved = line.flag("solved");
        String reason = line.text("termination_reason");
        boolean cutOff = Boolean.TRUE.equals(line.flag("cut_off"));
        Map<String, Double> metrics = new LinkedHashMap<>();
        JsonObject given = line.object("metrics");
        for (String name : given.tree().propertyNames()) {
            Double value = given.decimal(name);
            if (value != null) {
                metrics.put(defaults.name(name), value);
            }
        }
        Content answer = finalAnswer(line, said);
        return recording.end(time, outcome, defaults.name(line.text("error", "")), defaults, end -> {
            end.truncated(cutOff)
                    .terminationReason(reason == null ? null : defaults.name(reason))
                    .finalAnswer(answer)
                    .metrics(metrics);
            if (solved != null) {
                end.solved(solved);
            }
        });
    }

    private void rewards(Recording recording, JsonObject line, Outcome outcome, Instant time)
            throws BadRecordException {
        Double reward = reward(line, REWARD);
        if (reward != null && line.has(REWARDS)) {
            throw new BadRecordException("\"reward\" or \"rewards\", not both");
        }
        List<JsonObject> rewards = line.objects(REWARDS);
        for (JsonObject given : rewards) {
            String label = given.text("label");
            Content explanation = defaults.content(given.text("explanation"));
            recording.reward(
                    time,
                    defaults.name(given.text("source", TRANSCRIPT)),
                    reward(given, "value"),
                    more -> more.label(label == null ? null : defaults.name(label))
                            .explanation(explanation));
        }
        boolean judged = line.flag("solved") != null && outcome.isOwnEnd(); // by a reward that is not told
        if (reward != null || (rewards.isEmpty() && judged)) {
            recording.reward(time, TRANSCRIPT, reward);
        }
    }

    @Override
    public void unknownFields(JsonObject line, Consumer<String> fields) {
        ChatFields.unknown(line, fields);
    }

    /** The run that a line tells of. */
    public RunInfo info(String runId, JsonObject line, List<ChatMessage> said, Times times) throws BadRecordException {
        Integer maxSteps = line.integer("max_steps");
        Map<String, String> tags = tags(line);
        if (times.mark() != null) {
            tags.put(RunSummary.TIMES_TAG, times.mark());
        }
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(times.start())
                .task(task(line, said))
                .environment(defaults.environment(line))
                .model(defaults.name(line.text("model", "")))
                .agent(defaults.name(line.text("agent", "")))
                .agentVersion(defaults.name(line.text("agent_version", "")))
                .expectedAnswer(defaults.content(line.text("expected_answer", "")))
                .maxSteps(maxSteps == null ? 0 : Math.max(0, maxSteps))
                .seed(line.number("seed"))
                .passReward(defaults.passReward())
                .params(defaults.values(line.object("metadata")))
                .tags(tags)
                .correlation(RunFields.read(line))
                .build();
    }

    /** The same line always has the same id, however its fields are ordered. */
    private static String contentId(JsonObject line) {
        return "chat-" + line.sha256().substring(0, ID_DIGITS);
    }

    private Map<String, String> tags(JsonObject line) throws BadRecordException {
        Map<String, String> tags = new LinkedHashMap<>();
        JsonObject given = line.object("tags");
        for (String name : given.tree().propertyNames()) {
            tags.put(name, defaults.name(given.text(name, "")));
        }
        return tags;
    }

    /** Returns the line's {@code task}, else the first message of the user; empty if there is neither. */
    private Content task(JsonObject line, List<ChatMessage> said) throws BadRecordException {
        String task = line.text("task");
        return task != null
                ? defaults.content(task)
                : said.stream()
                        .map(ChatMessage::message)
                        .filter(message -> message.role().equals(ChatMessage.USER))
                        .map(Message::content)
                        .findFirst()
                        .orElse(Content.EMPTY);
    }

    /** Returns the line's {@code final_answer}, else the assistant's last message, unless that calls tools or is empty. */
    private @Nullable Content finalAnswer(JsonObject line, List<ChatMessage> said) throws BadRecordException {
        if (line.tree().has("final_answer")) {
            String answer = line.text("final_answer");
            return answer == null ? null : defaults.content(answer);
        }
        return said.stream()
                .filter(ChatMessage::isAssistant)
                .reduce((first, second) -> second)
                .map(ChatMessage::message)
                .filter(message ->
                        message.toolCalls().isEmpty() && !message.content().isEmpty())
                .map(Message::content)
                .orElse(null);
    }

    /** Returns the number in that field, 1 or 0 for a boolean; {@code null} if there is none. */
    private static @Nullable Double reward(JsonObject line, String name) throws BadRecordException {
        return line.get(name).isBoolean() ? (Double) (line.get(name).asBoolean() ? 1.0 : 0.0) : line.decimal(name);
    }

    private static Outcome outcome(JsonObject line) throws BadRecordException {
        String outcome = line.text("outcome", Outcome.COMPLETED.label());
        return Stream.of(Outcome.values())
                .filter(known -> known.label().equals(outcome.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new BadRecordException("\"outcome\" to be one of "
                        + Stream.of(Outcome.values()).map(Outcome::label).collect(Collectors.joining(", "))));
    }

    private void steps(
            Recording recording,
            List<ChatMessage> said,
            int from,
            Times times,
            Content task,
            IntFunction<@Nullable Consumer<ModelCalledBuilder>> calls) {
        int unanswered = unanswered(said);
        for (int i = from; i < unanswered; i++) {
            if (said.get(i).isAssistant()) {
                step(recording, said.subList(0, unanswered), times, i, calls.apply(i));
            }
        }
        hear(recording, said, unanswered, task);
    }

    private void step(
            Recording recording,
            List<ChatMessage> said,
            Times times,
            int index,
            @Nullable Consumer<ModelCalledBuilder> call) {
        List<Message> shown =
                said.subList(0, index).stream().map(ChatMessage::message).toList();
        Message reply = said.get(index).message();
        Instant asked = times.asked(index);
        boolean first = shown.stream().noneMatch(message -> message.role().equals(ChatMessage.ASSISTANT));
        recording.startStep(asked, first && index > 0 ? shown.get(index - 1).content() : Content.EMPTY);
        if (call != null) {
            recording.modelCalled(asked, said.get(index).time(), builder -> {
                builder.messages(shown).reply(reply);
                call.accept(builder);
            });
        }
        int end = index + 1;
        for (; end < said.size() && !said.get(end).isAssistant(); end++) {
            answer(recording, said.get(end), times.asked(end));
        }
        endStep(
                recording,
                reply,
                said.subList(index + 1, end),
                said.get(end - 1).time());
    }

    /** Returns the index of the first unanswered message. The one right behind the last of the assistant and tools is their outcome. */
    private static int unanswered(List<ChatMessage> said) {
        if (said.stream().noneMatch(ChatMessage::isAssistant)) {
            return 0;
        }
        int last = said.size() - 1;
        while (!said.get(last).isAssistant() && !said.get(last).isTool()) {
            last--;
        }
        return Math.min(said.size(), last + 2);
    }

    /** Records unanswered messages as steps in which the agent did nothing, except the task itself and repetitions. */
    private static void hear(Recording recording, List<ChatMessage> said, int from, Content task) {
        Content last = from == 0 ? task : said.get(from - 1).message().content();
        for (ChatMessage heard : said.subList(from, said.size())) {
            Content content = heard.message().content();
            if ((from > 0 || heard.message().role().equals(ChatMessage.USER)) && !content.equals(last)) {
                recording.startStep(heard.time(), content);
                recording.endStep(heard.time(), null, end -> {});
                last = content;
            }
        }
    }

    private static void answer(Recording recording, ChatMessage said, Instant asked) {
        ToolRequest request = said.answered();
        if (request != null) {
            recording.toolCalled(
                    asked,
                    said.time(),
                    request.tool(),
                    said.message().toolCallId(),
                    request.arguments(),
                    said.message().content(),
                    said.failed());
        }
    }

    private void endStep(Recording recording, Message reply, List<ChatMessage> answers, Instant end) {
        List<ChatMessage> tools = answers.stream().filter(ChatMessage::isTool).toList();
        List<ChatMessage> others =
                answers.stream().filter(said -> !said.isTool()).toList();
        Content error = tools.stream()
                .filter(ChatMessage::failed)
                .map(said -> said.message().content())
                .findFirst()
                .orElse(null);
        recording.endStep(
                end,
                error,
                step -> step.actionType(action(reply))
                        .code(code(reply))
                        .output(joined(others.isEmpty() ? tools : others)));
    }

    private static String action(Message reply) {
        int calls = reply.toolCalls().size();
        return calls == 0 ? "reply" : calls == 1 ? reply.toolCalls().get(0).tool() : "tool_calls";
    }

    private Content code(Message reply) {
        List<ToolRequest> calls = reply.toolCalls();
        if (calls.size() <= 1) {
            return calls.isEmpty() ? reply.content() : calls.get(0).arguments();
        }
        return defaults.content(calls.stream()
                .map(call -> call.tool() + "(" + call.arguments().text() + ")")
                .collect(Collectors.joining("\n")));
    }

    private Content joined(List<ChatMessage> said) {
        return said.size() == 1
                ? said.get(0).message().content()
                : defaults.content(
                        said.stream().map(one -> one.message().content().text()).collect(Collectors.joining("\n")));
    }
}
