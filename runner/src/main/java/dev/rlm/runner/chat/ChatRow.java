package dev.rlm.runner.chat;

import dev.rlm.episodes.Sample;
import dev.rlm.episodes.ToolSpec;
import java.util.List;

/**
 * Task that a trainer brings as messages.
 *
 * @param task the last thing that a user says in them
 * @param tools what a model may ask for
 */
public record ChatRow(String id, String task, List<ToolSpec> tools) implements Sample {
    public ChatRow {
        tools = List.copyOf(tools);
    }

    @Override
    public int row() {
        return 1;
    }
}
