"""All views of the page: accessible, on a desk and on a phone, light and dark, by links and the history."""

from collections.abc import Callable

from browser import Visit, luminance, misfits
from playwright.sync_api import expect

PLAY = "/play?cards=5&objective=points&opponent=optimal&seed=5"
REVIEW = f"{PLAY}&record=253_422_A3A_344_5A5"
EXPLORE = "/explore?position=245/A35/A3_4&objective=points"
VIEWS = {
    "play": PLAY,
    "hint": f"{PLAY}&hint=1",
    "review": REVIEW,
    "explore": EXPLORE,
    "chance": "/explore?position=24/A3/35_-_-2&objective=win",
    "several": "/explore?position=346/A25/35_4&objective=win",
    "impossible": "/explore?position=245/A357/A3_4",
    "study": "/study?cards=6",
}


def test_every_view_is_accessible_and_fits(visit: Callable[..., Visit]) -> None:
    at = visit()
    for name, path in VIEWS.items():
        page = at.open(path)
        expect(page.locator("main h1")).to_have_count(1)
        assert (name, misfits(at)) == (name, [])


def test_light_and_dark_can_be_chosen(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(EXPLORE)
    button = page.locator("#theme")
    seen = []
    for _ in range(3):
        button.click()
        seen.append(luminance(page) > 0.5)
    assert seen == [True, False, True]
    button.click()
    button.click()
    page.reload()
    assert luminance(page) < 0.2  # dark, as chosen, though the system is light


def test_views_are_reached_by_links_and_the_history(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/")
    at.phase("bid")
    for name in ("Train", "Habits", "Explore", "Study", "Play"):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page).to_have_title(f"{name} · Goofspiel")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("The first move")
    expect(page.get_by_role("link", name="Study")).to_have_attribute("aria-current", "page")


def test_how_soon_a_view_is_painted_and_a_probe_shown(visit: Callable[..., Visit]) -> None:
    at = visit()
    for name in ("play", "explore", "study"):
        page = at.open(VIEWS[name])
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        assert painted > 0
        print(f"{name}: first paint after {painted:.0f} ms")  # seen with -s; a busy machine is slower
    page = at.open(EXPLORE)
    shown = page.evaluate(
        """async () => {
            const from = performance.now();
            document.querySelectorAll(".points [role=gridcell]")[3].click();
            while (!document.querySelector(".points .upcard-values")) await new Promise(requestAnimationFrame);
            return performance.now() - from;
        }"""
    )
    print(f"a probe shown after {shown:.0f} ms")
