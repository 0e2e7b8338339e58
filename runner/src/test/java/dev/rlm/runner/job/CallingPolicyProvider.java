package dev.rlm.runner.job;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Turn;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A policy for tests: calls what {@code calls} says, a tool and its arguments a line, and submits what came last. */
public final class CallingPolicyProvider implements PolicyProvider {
    public static final String NAME = "calling";

    private List<String> calls = List.of();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String version() {
        return "1.7";
    }

    @Override
    public void open(Map<String, String> settings) {
        calls = settings.getOrDefault("calls", "").lines().toList();
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        Iterator<String> rest = calls.iterator();
        return (seen, step) -> {
            if (!rest.hasNext()) {
                return Turn.of("submit", seen.text());
            }
            String[] call = rest.next().split(" ", 2);
            return Turn.of(call[0], call[1]);
        };
    }
}
