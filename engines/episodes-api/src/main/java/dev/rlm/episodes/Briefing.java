package dev.rlm.episodes;

import dev.rlm.sinks.RunSpec;
import java.util.List;
import java.util.function.Function;

/**
 * Briefing of a policy on how it may act in one run.
 *
 * @param run description of the run as it is known from its start on, with its ids
 * @param instructions of the environment
 * @param tools the environment's actions and the tools that are there beside them
 * @param understand turns the words of a model that asked for no tool into an action
 */
public record Briefing(RunSpec run, String instructions, List<ToolSpec> tools, Function<String, Action> understand) {
    public Briefing {
        tools = List.copyOf(tools);
    }
}
