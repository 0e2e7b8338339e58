package dev.rlm.runner.chat;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.sinks.Step;
import java.util.List;

/** Environment that ends with the model's first reply, be it words or the call of a tool that is none of the program's. */
record ChatEnvironment(ChatRow row) implements Environment {
    /** Its name. */
    static final String NAME = "chat";

    @Override
    public String start() {
        return row.task();
    }

    @Override
    public List<ToolSpec> tools() {
        return row.tools();
    }

    @Override
    public Answer step(Action action, Step step) {
        return new Answer("", null, null, 0, true);
    }
}
