package dev.rlm.episodes;

import dev.rlm.sinks.RunSpec;
import java.util.List;
import java.util.function.Function;

/**
 * What a policy knows of how it may act in one run.
 *
 * @param run what is known of the run from its start on, its ids among it
 * @param instructions of the environment
 * @param tools the environment's actions and the tools that are there beside them
 * @param understand what a model's words mean that asked for no tool
 */
public record Briefing(RunSpec run, String instructions, List<ToolSpec> tools, Function<String, Action> understand) {
    public Briefing {
        tools = List.copyOf(tools);
    }
}
