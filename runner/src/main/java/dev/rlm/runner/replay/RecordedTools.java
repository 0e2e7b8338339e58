package dev.rlm.runner.replay;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ToolCalled;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An environment whose tools, and those beside it, answer as they did in the record; all else it does itself. */
record RecordedTools(Environment live, RunReplay replay) implements Environment {
    @Override
    public String start() throws Exception {
        return live.start();
    }

    @Override
    public Answer step(Action action, Step step) throws Exception {
        ToolCalled recorded = replay.takeCall(action.type());
        if (recorded == null) {
            return live.step(action, step);
        }
        String result = recorded.result().text();
        String error = null;
        try (ToolCall call = step.startToolCall(action.type())) {
            call.arguments(recorded.arguments().text())
                    .provider(recorded.provider())
                    .callId(action.callId());
            call.result(result);
            if (recorded.failed()) {
                Content reason = recorded.error();
                error = reason == null ? "" : reason.text();
                call.fail(recorded.statusCode(), error);
            }
        }
        return new Answer(result, error, replay.reward(), 1, false);
    }

    @Override
    public Answer cutOff(Answer last, Step step) throws Exception {
        return live.cutOff(last, step);
    }

    @Override
    public String instructions() {
        return live.instructions();
    }

    @Override
    public List<ToolSpec> tools() {
        return live.tools();
    }

    @Override
    public Action understand(String words) {
        return live.understand(words);
    }

    @Override
    public @Nullable String state() {
        return live.state();
    }

    @Override
    public Map<String, Double> metrics() {
        return live.metrics();
    }

    @Override
    public void close() {
        live.close();
    }
}
