package dev.rlm.cli.testkit.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Page in GitHub's Markdown: its links, the anchors that lead into it, its code blocks and its code in text. */
public final class MarkdownPage {
    private static final Pattern FENCE = Pattern.compile(" *(`{3,}|~{3,})\\s*(\\w*).*");
    private static final Pattern CODE = Pattern.compile("(?s)(?<!`)(`+)(?!`)(.+?)(?<!`)\\1(?!`)");
    private static final Pattern LINK = Pattern.compile("]\\(\\s*<?([^)<>\\s]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern ATTRIBUTE = Pattern.compile("<(?:a|img)\\s[^>]*?(?:href|src)=\"([^\"]+)\"");
    private static final Pattern ANCHOR = Pattern.compile("<a\\s[^>]*?(?:id|name)=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)? *");

    private final Path file;
    private final List<String> headings = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final List<String> spans = new ArrayList<>();
    private final StringBuilder prose = new StringBuilder(); // without any code

    private MarkdownPage(Path file) {
        this.file = file;
    }

    /** Code block, with the language that it names; that may be empty. */
    public record Block(String language, String text) {}

    /** Reads a page. */
    public static MarkdownPage read(Path file) throws IOException {
        MarkdownPage page = new MarkdownPage(file);
        StringBuilder paragraph = new StringBuilder();
        StringBuilder code = new StringBuilder();
        String fence = "";
        String language = "";
        for (String line : Files.readAllLines(file)) {
            Matcher fenced = FENCE.matcher(line);
            if (!fence.isEmpty()) {
                if (line.strip().equals(fence)) {
                    page.blocks.add(new Block(language, code.toString()));
                    fence = "";
                } else {
                    code.append(line).append('\n');
                }
            } else if (fenced.matches()) {
                page.paragraph(paragraph);
                fence = fenced.group(1);
                language = fenced.group(2);
                code.setLength(0);
            } else if (line.isBlank()) {
                page.paragraph(paragraph);
            } else {
                Matcher heading = HEADING.matcher(line);
                if (heading.matches()) {
                    page.headings.add(heading.group(1));
                }
                paragraph.append(line).append('\n');
            }
        }
        page.paragraph(paragraph);
        return page;
    }

    private void paragraph(StringBuilder paragraph) {
        Matcher code = CODE.matcher(paragraph);
        while (code.find()) {
            spans.add(code.group(2).replace("\\|", "|")); // as a cell of a table has it
        }
        prose.append(code.replaceAll("")).append('\n');
        paragraph.setLength(0);
    }

    /** Returns its file. */
    public Path file() {
        return file;
    }

    /** Returns the destinations of its links and pictures, in their order. */
    public List<String> links() {
        List<String> links = new ArrayList<>();
        LINK.matcher(prose).results().forEach(link -> links.add(link.group(1)));
        ATTRIBUTE.matcher(prose).results().forEach(link -> links.add(link.group(1)));
        return links;
    }

    /** Returns the texts of its headings, the title's too. */
    public List<String> headings() {
        return headings;
    }

    /** Returns its code blocks, in their order. */
    public List<Block> blocks() {
        return blocks;
    }

    /** Returns the code in lines of text. */
    public List<String> spans() {
        return spans;
    }

    /** Returns what may stand behind the {@code #} of a link to this page. */
    public Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (String heading : headings) {
            String slug = slug(heading);
            int before = seen.merge(slug, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? slug : slug + "-" + before);
        }
        ANCHOR.matcher(prose).results().forEach(anchor -> anchors.add(anchor.group(1)));
        return anchors;
    }

    private static String slug(String heading) {
        return heading.replaceAll("!?\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]", "")
                .replace(' ', '-');
    }
}
