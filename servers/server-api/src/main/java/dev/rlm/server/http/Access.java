package dev.rlm.server.http;

import dev.rlm.cli.Token;
import java.net.URI;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Rule of who may ask. Without a token only this machine may, by its own names: a page in a browser may have got here by a
 * name of its own.
 *
 * @param token of callers that may see all; {@code null} if there is none
 * @param jobs tokens by the name of the job that has it, and sees what is its own
 * @param loopback whether the server listens for this machine alone
 */
public record Access(@Nullable Token token, Map<String, Token> jobs, boolean loopback) {
    /** Name in the place of a job's for callers that may see all. */
    public static final String ALL = "";

    private static final String TOKEN_HEADER = "x-rlm-token";
    private static final Set<String> LOCAL = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Pattern PORT = Pattern.compile(":\\d+$");

    public Access {
        jobs = Map.copyOf(jobs);
    }

    /** Returns all tokens. */
    public Collection<Token> tokens() {
        return Stream.concat(Stream.ofNullable(token), jobs.values().stream()).toList();
    }

    /** Checks the names by which the server was asked. */
    public void checkHost(Request request) throws RefusedException {
        HttpFields headers = request.getHeaders();
        String host = headers.get("host");
        if (loopback && !isLocal(host == null ? request.getHttpURI().getAuthority() : host)) { // HTTP/2 has no header
            throw new RefusedException(403, "the Host header must be 127.0.0.1 or localhost");
        }
        String origin = headers.get("origin");
        if (loopback && origin != null && !isHere(origin)) {
            throw new RefusedException(403, "pages of other hosts may not ask here");
        }
    }

    /**
     * Returns the job that asks; {@link #ALL} for a caller that may see all.
     *
     * @param key sent as a key elsewhere than in a header
     */
    public String job(HttpFields headers, @Nullable String key) throws RefusedException {
        if (tokens().isEmpty()) {
            return ALL;
        }
        String job = null;
        for (String given : new String[] {
            headers.get("authorization"),
            bearer(headers.get(TOKEN_HEADER)),
            bearer(headers.get("x-api-key")),
            bearer(key)
        }) {
            String found = owner(given);
            job = job == null ? found : job;
        }
        if (job == null) {
            throw new RefusedException(
                    401, "the header Authorization must be 'Bearer ' and the token, or " + TOKEN_HEADER + " the token");
        }
        return job;
    }

    private static @Nullable String bearer(@Nullable String value) {
        return value == null ? null : "Bearer " + value;
    }

    /** Returns whether the value of a header is a token, and no key of others. */
    public boolean isToken(@Nullable String authorization) {
        return owner(authorization) != null;
    }

    /** The job whose token it is, found out in the same time whichever it is. */
    private @Nullable String owner(@Nullable String authorization) {
        String owner = token != null && token.isIn(authorization) ? ALL : null;
        for (Map.Entry<String, Token> job : jobs.entrySet()) {
            boolean its = job.getValue().isIn(authorization);
            owner = its && owner == null ? job.getKey() : owner;
        }
        return owner;
    }

    private static boolean isHere(String origin) {
        try {
            return isLocal(URI.create(origin).getHost());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isLocal(@Nullable String host) {
        return host != null
                && LOCAL.contains(PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst(""));
    }
}
