package dev.rlm.sinks.mlflow.rest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names as MLflow takes them for metrics, parameters and tags: letters, digits and {@code _ / . : -} and space, up to 250 of
 * them, and no path that could be written shorter. What has to be changed ends with a hash of the name, so that two names
 * never become one.
 */
public final class Keys {
    private static final int MAX_LENGTH = 250;
    private static final int HASH_BYTES = 8;
    private static final Pattern NOT_ALLOWED = Pattern.compile("[^A-Za-z0-9_/.: -]");
    private static final Pattern CHANGED = Pattern.compile(".*\\.h[0-9a-f]{16}", Pattern.DOTALL);
    private static final Pattern SHORTENED = Pattern.compile("|\\.|\\.\\.");

    private Keys() {}

    /** The name, if it is such a one; else one that looks like it. */
    public static String valid(String name) {
        String clean = Arrays.stream(NOT_ALLOWED.matcher(name).replaceAll("_").split("/", -1))
                .map(part -> SHORTENED.matcher(part).matches() ? "_" + part : part)
                .collect(Collectors.joining("/"));
        boolean same = clean.equals(name)
                && name.length() <= MAX_LENGTH
                && !CHANGED.matcher(name).matches();
        return same ? name : changed(clean, name);
    }

    /** A name below a valid one; it is the same below others too, where there is room. */
    public static String below(String parent, String name) {
        String key = parent + "/" + valid(name);
        return key.length() <= MAX_LENGTH ? key : valid(key);
    }

    private static String changed(String clean, String name) {
        String end = ".h" + hash(name);
        int room = MAX_LENGTH - end.length();
        return (clean.length() <= room ? clean : clean.substring(0, room)) + end;
    }

    private static String hash(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_16BE));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
