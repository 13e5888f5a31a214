// What the page of a timeline shows.

head();
bars();
jobs();
watchPointer("job", describe);
