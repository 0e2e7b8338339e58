package dev.rlm.console;

import dev.rlm.json.Json;
import dev.rlm.server.http.RefusedException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * One HTML file with the pages and what they show of some runs. It opens without a server and sends no requests: it holds
 * modules as addresses of data, and the answers of commands at the time of its making by the addresses that pages ask for.
 */
final class SingleFileExport {
    private static final String MODULE = "rlm/"; // beginning of the names of modules
    private static final Pattern IMPORT = Pattern.compile("(from ?|import ?\\(?)(['\"])(\\.[^'\"]+)(['\"])");
    private static final Pattern ALTERED = Pattern.compile("\\[(REDACTED|CUT):[^\\]\"]*\\]");
    private static final int SIDES = 4; // of a group that are compared

    /** Answers of commands that choose no runs. */
    private static final List<String> OF_ALL = List.of("check", "jobs?limit=50&lines=8");

    /** Answers of commands about the chosen runs. */
    private static final List<String> OF_RUNS = List.of(
            "report",
            "report?by=model",
            "report?by=tool",
            "report?by=train-step",
            "report?curves=true",
            "report?failed-tools=true",
            "report?health=true",
            "report?phases=true",
            "report?rewards=true",
            "scan",
            "list?by=sample&limit=200&sort=solved-rate");

    private final CommandRunner commands;
    private final StaticFiles files = new StaticFiles();
    private final Map<String, List<String>> filters;
    private final Map<String, String> answers = new TreeMap<>();
    private final List<String> runs = new ArrayList<>(); // their ids

    /**
     * Asks for everything.
     *
     * @param filters options of {@code rlm list} that choose runs, without dashes
     * @param limit how many of them, the latest
     */
    SingleFileExport(CommandRunner commands, Map<String, List<String>> filters, int limit)
            throws RefusedException, InterruptedException {
        this.commands = commands;
        this.filters = new LinkedHashMap<>(filters);
        for (String key : OF_ALL) {
            answer(key, Map.of());
        }
        for (String key : OF_RUNS) {
            answer(key, filters);
        }
        Map<String, List<String>> latest = new LinkedHashMap<>(filters);
        latest.put("limit", List.of(String.valueOf(limit)));
        Map<String, List<String>> samples = new LinkedHashMap<>();
        for (String line : answer("list", List.of("list"), latest).lines().toList()) {
            ObjectNode run = Json.FILE.object(line);
            String id = run.path("run_id").asString();
            runs.add(id);
            answer("show/" + id, List.of("show", id), Map.of());
            String sample = run.path("sample_id").asString("");
            if (!sample.isEmpty()) {
                samples.computeIfAbsent(sample, name -> new ArrayList<>()).add(id);
            }
        }
        for (List<String> group : samples.values()) {
            for (String other : group.subList(1, Math.min(SIDES, group.size()))) {
                answer("diff/" + group.get(0) + "/" + other, List.of("diff", group.get(0), other), Map.of());
            }
        }
    }

    /** Asks what one of the constants says, of which none has a name in it. */
    private void answer(String key, Map<String, List<String>> more) throws RefusedException, InterruptedException {
        String[] parts = key.split("\\?", 2);
        Map<String, List<String>> options = new LinkedHashMap<>(more);
        if (parts.length > 1) {
            for (String option : parts[1].split("&", -1)) {
                options.put(option.replaceFirst("=.*", ""), List.of(option.replaceFirst(".*?=", "")));
            }
        }
        answer(key, List.of(parts[0]), options);
    }

    private String answer(String key, List<String> path, Map<String, List<String>> options)
            throws RefusedException, InterruptedException {
        String answer = new String(commands.answer(path, options), StandardCharsets.UTF_8);
        answers.put(key, answer);
        return answer;
    }

    /** Returns how many runs it shows. */
    int size() {
        return runs.size();
    }

    /** Returns how many places there are in the events of these runs where something was redacted, or cut out. */
    long altered() {
        return runs.stream()
                .mapToLong(run -> ALTERED.matcher(answers.getOrDefault("show/" + run, ""))
                        .results()
                        .count())
                .sum();
    }

    /**
     * Returns the file.
     *
     * @param about what pages are told of the program
     */
    String html(Map<String, Object> about) {
        Map<String, Object> data = Map.of("about", about, "answers", answers, "filters", filters);
        String style = files.text("vendor/uplot.css") + files.text("console.css");
        String imports = Json.text(Map.of("imports", modules()));
        String start = "import '" + MODULE + "app.js'";
        String policy = "default-src 'none'; script-src " + hash(imports) + " " + hash(start) + " data:; style-src "
                + hash(style)
                + "; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
                + " trusted-types dompurify";
        return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="content-security-policy" content="%s">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>rlm</title>
                <link rel="icon" href="%s">
                <style>%s</style>
                <script type="application/gzip" id="data">%s</script>
                <script type="importmap">%s</script>
                <script type="module">%s</script>
                </head>
                <body><noscript>This page needs JavaScript.</noscript></body>
                </html>
                """.formatted(
                        policy,
                        data("image/svg+xml", files.text("icon.svg")),
                        style,
                        Base64.getEncoder().encodeToString(Bytes.gzip(Json.bytes(data))),
                        imports,
                        start);
    }

    private Map<String, String> modules() {
        return files.names().stream()
                .filter(name -> name.endsWith(".js"))
                .collect(Collectors.toMap(
                        name -> MODULE + name,
                        name -> data("text/javascript", withNames(name)),
                        (a, b) -> a,
                        TreeMap::new));
    }

    /** Returns the text of a module that names others from anywhere, and not from where it lies. */
    private String withNames(String name) {
        Matcher matcher = IMPORT.matcher(files.text(name));
        return matcher.replaceAll(found -> Matcher.quoteReplacement(
                found.group(1) + found.group(2) + MODULE + URI.create(name).resolve(found.group(3)) + found.group(4)));
    }

    private static String data(String type, String text) {
        return "data:" + type + ";base64," + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(String text) {
        byte[] hash = Bytes.sha256(text.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
    }
}
