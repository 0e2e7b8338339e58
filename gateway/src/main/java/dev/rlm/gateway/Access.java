package dev.rlm.gateway;

import dev.rlm.cli.Token;
import dev.rlm.cli.http.JsonServer;
import java.net.URI;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rule of who may ask. Without a token only this machine may, by its own names: a page in a browser may have got here by a
 * name of its own.
 *
 * @param token {@code null} where none is asked for
 * @param loopback whether the server listens for this machine alone
 */
record Access(@Nullable Token token, boolean loopback) {
    static final String TOKEN_HEADER = "x-rlm-token";

    void check(UnaryOperator<@Nullable String> header) throws RefusedException {
        if (loopback && !JsonServer.isLocal(header.apply("host"))) {
            throw new RefusedException(403, "the Host header must be 127.0.0.1 or localhost");
        }
        String origin = header.apply("origin");
        if (loopback && origin != null && !isHere(origin)) {
            throw new RefusedException(403, "pages of other hosts may not ask here");
        }
        if (token != null && !knows(header)) {
            throw new RefusedException(
                    401, "the header Authorization must be 'Bearer ' and the token, or " + TOKEN_HEADER + " the token");
        }
    }

    private boolean knows(UnaryOperator<@Nullable String> header) {
        String own = header.apply(TOKEN_HEADER);
        return isToken(header.apply("authorization"))
                || (own != null && isToken("Bearer " + own))
                || isToken("Bearer " + header.apply("x-api-key"));
    }

    /** Returns whether the value is the token, and no key of the upstream's. */
    boolean isToken(@Nullable String authorization) {
        return token != null && token.isIn(authorization);
    }

    private static boolean isHere(String origin) {
        try {
            String host = URI.create(origin).getHost();
            return JsonServer.isLocal(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
