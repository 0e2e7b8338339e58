package dev.rlm.server.rollout;

import dev.rlm.server.http.PathSegment;
import dev.rlm.server.http.RefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Path of a request: ids, as pairs of a name and a value, and behind them what is asked for.
 *
 * @param baseUrl that of the model, as it was encoded; {@code null} where the path names none
 * @param rest what is asked for below the base URL, such as {@code chat/completions}, without a slash before it
 */
public record CallPath(RolloutIds ids, @Nullable String baseUrl, String rest) {
    private static final String BASE_URL = "encoded_base_url";
    private static final String PROJECT = "project_id";
    private static final Set<String> SKIPPED = Set.of("litellm-gateway", "v1");
    private static final String HEADER = "x-rlm-";
    private static final String NAMED_TOKEN = "rlm:";
    private static final String SCHEME = "bearer ";

    /**
     * Reads a path that is still percent-encoded. Several slashes count as one.
     *
     * @throws RefusedException if it leads up, as it is written or once it is decoded
     */
    public static CallPath of(String path) throws RefusedException {
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/+", -1)) {
            if (!segment.isEmpty() && PathSegment.names(segment)) {
                segments.add(segment);
            }
        }
        Map<String, String> found = new LinkedHashMap<>();
        int at = 0;
        while (at < segments.size()) {
            String name = segments.get(at);
            boolean named = RolloutIds.NAMES.contains(name) || name.equals(BASE_URL) || name.equals(PROJECT);
            if (named && at + 1 < segments.size()) {
                found.put(name, PathSegment.decoded(segments.get(at + 1)));
                at += 2;
            } else if (SKIPPED.contains(name)) {
                at++;
            } else {
                break;
            }
        }
        found.remove(PROJECT);
        String baseUrl = found.remove(BASE_URL);
        String slash = path.endsWith("/") && at < segments.size() ? "/" : "";
        return new CallPath(
                RolloutIds.of(found), baseUrl, String.join("/", segments.subList(at, segments.size())) + slash);
    }

    /**
     * Returns the same with the ids that headers tell, where the path does not: {@code x-rlm-run-id} or a bearer's name.
     *
     * @param job that asks
     */
    public CallPath with(HttpFields headers, String job) throws RefusedException {
        Map<String, String> found = new LinkedHashMap<>();
        for (String name : RolloutIds.NAMES) {
            String value = headers.get(HEADER + name.replace('_', '-'));
            if (value != null) {
                found.put(name, value);
            }
        }
        RolloutIds all = new RolloutIds(
                job,
                ids.or(found).or(named(bearer(headers.get("authorization")))).values());
        all.check();
        return new CallPath(all, baseUrl, rest);
    }

    /** Returns whether a bearer is a name, {@code rlm:rollout_id=R&row_id=W}, and no key. */
    public static boolean isName(@Nullable String authorization) {
        return bearer(authorization).startsWith(NAMED_TOKEN);
    }

    private static String bearer(@Nullable String authorization) {
        boolean bearer =
                authorization != null && authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME);
        return authorization == null || !bearer
                ? ""
                : authorization.substring(SCHEME.length()).strip();
    }

    private static Map<String, String> named(String bearer) throws RefusedException {
        Map<String, String> found = new LinkedHashMap<>();
        String pairs = bearer.startsWith(NAMED_TOKEN) ? bearer.substring(NAMED_TOKEN.length()) : "";
        for (String pair : pairs.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            if (parts.length == 2 && RolloutIds.NAMES.contains(parts[0])) {
                found.put(parts[0], PathSegment.decoded(parts[1]));
            }
        }
        return found;
    }
}
