package dev.rlm.sinks.rollout;

import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Address at which a trainer looks for the statuses of its rollouts.
 *
 * @param base what {@code /logs} is below, without a slash at its end
 * @param token what signs in there; {@code null} for nothing
 */
public record RolloutGateway(String base, @Nullable String token) {
    public RolloutGateway {
        base = base.replaceFirst("/+$", "");
        URI.create(base); // which must be an address
    }

    /** Returns the address for people: without path, user and query. */
    String target() {
        URI uri = URI.create(base);
        return uri.getScheme() + "://" + Objects.requireNonNullElse(uri.getHost(), "")
                + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    @Override
    public String toString() {
        return target();
    }
}
