package dev.rlm.runs;

import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A step as it is compared with one of another run: what the agent saw, did and got, and no times, ids or token counts.
 *
 * @param number of the step; {@link RunEvent#NO_STEP} for what happened outside of steps
 * @param values its fields by name, in order; without those that are not known
 */
record StepSide(int number, Map<String, Object> values) {
    private static final String ACTION = "action_type";
    private static final String CODE = "code";

    /**
     * Returns all of a run.
     *
     * @param rewarded whether the run has a reward; else its steps have none
     */
    static List<StepSide> all(List<RunEvent> events, boolean rewarded) {
        Map<Integer, List<RunEvent>> byStep = new TreeMap<>();
        events.forEach(event ->
                byStep.computeIfAbsent(event.step(), step -> new ArrayList<>()).add(event));
        List<RunEvent> outside = byStep.remove(RunEvent.NO_STEP);
        List<StepSide> steps = new ArrayList<>();
        byStep.forEach((number, inside) -> steps.add(of(number, inside, rewarded)));
        StepSide rest = of(RunEvent.NO_STEP, outside == null ? List.of() : outside, rewarded);
        if (!rest.values.isEmpty()) {
            steps.add(rest);
        }
        return steps;
    }

    private static StepSide of(int number, List<RunEvent> events, boolean rewarded) {
        StepStarted start = null;
        StepEnded end = null;
        List<ModelCalled> models = new ArrayList<>();
        List<Map<String, Object>> tools = new ArrayList<>();
        List<Map<String, Object>> rewards = new ArrayList<>();
        for (RunEvent event : events) {
            if (event instanceof StepStarted started) {
                start = started;
            } else if (event instanceof StepEnded ended) {
                end = ended;
            } else if (event instanceof ModelCalled call) {
                models.add(call);
            } else if (event instanceof ToolCalled call) {
                tools.add(tool(call));
            } else if (event instanceof RewardGiven reward) {
                rewards.add(reward(reward));
            }
        }
        Map<String, Object> values = new LinkedHashMap<>();
        if (number != RunEvent.NO_STEP) {
            begin(start == null && end != null ? end.started() : start, end, values);
        }
        putAll(
                values,
                "model_calls",
                models.stream().map(call -> model(call, tools)).toList());
        putAll(values, "tool_calls", tools);
        if (end != null) {
            end(end, rewarded, values);
        }
        if (number != RunEvent.NO_STEP && rewards.size() == 1) {
            rewards.get(0).remove("value"); // it is the step's
        }
        putAll(values, "rewards", rewards);
        return new StepSide(number, values);
    }

    private static void begin(@Nullable StepStarted start, @Nullable StepEnded end, Map<String, Object> values) {
        RunSide.put(values, ACTION, end == null ? null : end.actionType());
        RunSide.put(values, "ended", end == null ? Boolean.FALSE : null); // said only of those that have not
        RunSide.put(values, "observation", start == null ? null : start.observation());
        RunSide.put(values, CODE, end == null ? null : end.code());
    }

    private static void end(StepEnded end, boolean rewarded, Map<String, Object> values) {
        RunSide.put(values, "output", end.output());
        RunSide.put(values, "success", end.success());
        RunSide.put(values, "error", end.error());
        RunSide.put(values, "state_after", end.stateAfter());
        Object reward = Double.isNaN(end.reward()) ? "absent" : (Object) end.reward();
        RunSide.put(values, "reward", rewarded ? reward : null);
    }

    /**
     * Returns what a model said.
     *
     * @param tools the tool calls of the step, which tell what was asked for
     */
    private static Map<String, Object> model(ModelCalled call, List<Map<String, Object>> tools) {
        Map<String, Object> values = new LinkedHashMap<>();
        Message reply = call.reply();
        if (reply != null) {
            reply.parts().stream()
                    .filter(part -> !part.isText() && !part.text().isEmpty())
                    .forEach(part -> values.merge(
                            part.type().name().toLowerCase(Locale.ROOT),
                            part.text().text(),
                            (one, next) -> one + "\n" + next));
            RunSide.put(values, "reply", reply.content());
            putAll(
                    values,
                    "requests",
                    reply.toolCalls().stream()
                            .map(StepSide::request)
                            .filter(request -> tools.stream()
                                    .noneMatch(tool -> tool.entrySet().containsAll(request.entrySet())))
                            .toList());
        }
        RunSide.put(values, "error", call.error());
        return values;
    }

    private static Map<String, Object> request(Message.ToolRequest request) {
        Map<String, Object> values = new LinkedHashMap<>();
        RunSide.put(values, "tool", request.tool());
        RunSide.put(values, "arguments", request.arguments());
        return values;
    }

    private static Map<String, Object> tool(ToolCalled call) {
        Map<String, Object> values = new LinkedHashMap<>();
        RunSide.put(values, "tool", call.tool());
        RunSide.put(values, "arguments", call.arguments());
        RunSide.put(values, "result", call.result());
        RunSide.put(values, "documents", Shown.documents(call));
        RunSide.put(values, "status_code", call.failed() ? (Integer) call.statusCode() : null);
        RunSide.put(values, "error", call.error());
        return values;
    }

    private static Map<String, Object> reward(RewardGiven reward) {
        Map<String, Object> values = new LinkedHashMap<>();
        RunSide.put(values, "source", reward.source());
        RunSide.put(values, "value", reward.isAbsent() ? null : (Double) reward.value());
        RunSide.put(values, "absence", reward.absence());
        RunSide.put(values, "label", reward.label());
        return values;
    }

    private static void putAll(Map<String, Object> values, String name, List<Map<String, Object>> all) {
        if (!all.isEmpty()) {
            values.put(name, all);
        }
    }

    /** Returns the kind of the action; empty where it has none. */
    String action() {
        return String.valueOf(values.getOrDefault(ACTION, ""));
    }

    /** Returns the action itself; empty where there is none. */
    String code() {
        return String.valueOf(values.getOrDefault(CODE, ""));
    }

    /** Returns the fields one by one, those of calls and rewards by names such as {@code tool call 2 result}. */
    Map<String, Object> flat() {
        Map<String, Object> flat = new LinkedHashMap<>();
        flatten("", values, flat);
        return flat;
    }

    private static void flatten(String prefix, Map<?, ?> values, Map<String, Object> flat) {
        values.forEach((key, value) -> {
            String name = prefix + key.toString().replace('_', ' ');
            if (value instanceof List<?> list) {
                String one = name.substring(0, name.length() - 1); // its singular
                for (int i = 0; i < list.size(); i++) {
                    flatten(one + ' ' + (i + 1) + ' ', (Map<?, ?>) list.get(i), flat);
                }
            } else if (value != null) {
                flat.put(name, value);
            }
        });
    }
}
