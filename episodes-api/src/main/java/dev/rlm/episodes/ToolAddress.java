package dev.rlm.episodes;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where tools are, and what may be used to reach them. Its text names no secret.
 *
 * @param name what the names of the tools begin with; empty where they are as their owner has them
 * @param location a command, or a URL
 * @param environment variables for what is started, beside the few that any program needs
 * @param token what shows who asks; {@code null} where nothing does
 * @param startTime how long it may take to connect
 * @param callTime how long a call may take
 */
public record ToolAddress(
        String name,
        String location,
        Map<String, String> environment,
        @Nullable String token,
        Duration startTime,
        Duration callTime) {
    public ToolAddress {
        environment = Map.copyOf(environment);
    }

    @Override
    public String toString() {
        return "ToolAddress[" + name + "]";
    }
}
