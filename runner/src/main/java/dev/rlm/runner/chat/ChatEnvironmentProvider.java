package dev.rlm.runner.chat;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;

/** Makes environments for rows that a trainer brings. */
public final class ChatEnvironmentProvider implements EnvironmentProvider {
    @Override
    public String name() {
        return ChatEnvironment.NAME;
    }

    @Override
    public Samples samples(SampleRequest request) {
        throw new SetupException("--env chat has no samples of its own: it is for serve, whose trainers bring them");
    }

    @Override
    public Environment create(Sample sample) {
        return new ChatEnvironment((ChatRow) sample);
    }
}
