package com.example.guess;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Turn;
import dev.rlm.sinks.Step;
import java.util.List;

/** Makes policies that always guess the middle of what is left: {@code --policy bisect}. */
public final class BisectPolicyProvider implements PolicyProvider {
    @Override
    public String name() {
        return "bisect";
    }

    @Override
    public List<String> models(Sample sample) {
        if (!(sample instanceof Secret)) {
            throw new SetupException("--policy bisect is for --env guess");
        }
        return List.of(name());
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        return new Bisect(((Secret) role.sample()).max());
    }

    private static final class Bisect implements Policy {
        private int low = 1;
        private int high;
        private int guess;

        Bisect(int max) {
            high = max;
        }

        @Override
        public Turn act(Observation seen, Step step) {
            switch (seen.text()) {
                case "higher" -> low = guess + 1;
                case "lower" -> high = guess - 1;
                default -> {} // the first turn
            }
            guess = (low + high) >>> 1;
            return Turn.of("guess", String.valueOf(guess));
        }
    }
}
