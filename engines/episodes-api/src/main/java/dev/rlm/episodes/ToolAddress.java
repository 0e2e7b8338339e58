package dev.rlm.episodes;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Address of tools, with the means and the time limits to reach them. Its text names no secret.
 *
 * @param name beginning of the names of the tools; empty if they are as their owner has them
 * @param location a command, or a URL
 * @param environment variables for what is started, beside the few that any program needs
 * @param token token that authorizes the caller; {@code null} for none
 * @param startTime time that connecting may take
 * @param callTime time that a call may take
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
