package dev.rlm.cli.doors;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs as a file of chats tells them to {@code rlm import}. */
final class ChatDoor {
    private ChatDoor() {}

    static void file(List<List<RunEvent>> runs, Path file) throws IOException {
        Files.write(file, runs.stream().map(ChatDoor::line).toList());
    }

    private static String line(List<RunEvent> events) {
        RunInfo run = events.get(0).run();
        List<Object> messages = new ArrayList<>();
        List<Object> rewards = new ArrayList<>();
        Map<String, Object> line = new LinkedHashMap<>(Map.of(
                "run_id", run.runId(),
                "started_at", run.startedAt().toString(),
                "environment", run.environment(),
                "model", run.model(),
                "task", run.task().text(),
                "messages", messages,
                "rewards", rewards));
        for (RunEvent event : events) {
            if (event instanceof ModelCalled call && call.reply() != null) {
                call.messages()
                        .forEach(message -> messages.add(message(message, run, call.startNanos(), call.startNanos())));
                messages.add(message(call.reply(), run, call.startNanos(), call.nanos()));
            } else if (event instanceof ToolCalled call) {
                Message answer = new Message("tool", call.result(), List.of(), call.callId());
                messages.add(message(answer, run, call.startNanos(), call.nanos()));
            } else if (event instanceof RewardGiven reward) {
                rewards.add(reward(reward));
            } else if (event instanceof RunEnded end) {
                line.put("finished_at", end.time().toString());
                line.put("outcome", end.outcome().label());
                line.put("error", end.status().message());
            }
        }
        return Json.text(line);
    }

    private static Map<String, Object> message(Message message, RunInfo run, long start, long end) {
        Map<String, Object> told = new LinkedHashMap<>(Map.of(
                "role", message.role(),
                "content", message.content().text(),
                "started_at", run.at(start).toString(),
                "timestamp", run.at(end).toString()));
        if (message.toolCallId() != null) {
            told.put("tool_call_id", message.toolCallId());
        }
        List<Map<String, Object>> calls = new ArrayList<>();
        message.toolCalls()
                .forEach(call -> calls.add(Map.of(
                        "id",
                        call.id(),
                        "type",
                        "function",
                        "function",
                        Map.of(
                                "name",
                                call.tool(),
                                "arguments",
                                call.arguments().text()))));
        if (!calls.isEmpty()) {
            told.put("tool_calls", calls);
        }
        return told;
    }

    private static Map<String, Object> reward(RewardGiven reward) {
        Map<String, Object> told = new LinkedHashMap<>(Map.of("source", reward.source()));
        put(told, "value", reward.isAbsent() ? null : (Double) reward.value());
        put(told, "label", reward.label());
        Content explanation = reward.explanation();
        put(told, "explanation", explanation == null ? null : explanation.text());
        return told;
    }

    private static void put(Map<String, Object> object, String name, @Nullable Object value) {
        if (value != null) {
            object.put(name, value);
        }
    }
}
